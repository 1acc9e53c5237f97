import java.io.DataInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * JudgeBatches: reads buffers from standard input (an int32 length, then the bytes) and prints for each a line: whether
 * a consumer would accept all of it, how many records it would read, and a CRC-32 of their contents; or what it would
 * throw. "complete" are the bytes of the whole batches up to there.
 */
final class JudgeBatches {
    private static final BufferSupplier BUFFERS = BufferSupplier.create();

    private JudgeBatches() {}

    public static void main(String[] args) throws Exception {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        while (true) {
            byte[] data;
            try {
                data = new byte[in.readInt()];
            } catch (EOFException end) {
                break;
            }
            in.readFully(data);
            Lines.print(judge(data));
            if (in.available() == 0) {
                Lines.flush();
            }
        }
        Lines.flush();
    }

    private static Map<String, Object> judge(byte[] data) {
        Map<String, Object> line = new LinkedHashMap<>();
        CRC32 crc = new CRC32();
        int complete = 0;
        int count = 0;
        try {
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
                // As the consumer does with check.crcs, which is its default.
                batch.ensureValid();
                try (CloseableIterator<Record> records = batch.streamingIterator(BUFFERS)) {
                    while (records.hasNext()) {
                        Record record = records.next();
                        record.ensureValid();
                        add(crc, record, batch.timestampType().id);
                        count++;
                    }
                }
                complete += batch.sizeInBytes();
            }
            line.put("count", count);
            line.put("crc", crc.getValue());
        } catch (Throwable thrown) {  // errors too: an OutOfMemoryError is an answer here
            line.put("thrown", thrown.getClass().getName());
            String text = String.valueOf(thrown.getMessage());
            line.put("text", text.length() > 150 ? text.substring(0, 150) : text);
        }
        line.put("complete", complete);
        return line;
    }

    private static void add(CRC32 crc, Record record, int timestampType) {
        ByteBuffer numbers = ByteBuffer.allocate(20);
        numbers.putLong(record.offset()).putLong(record.timestamp()).putInt(timestampType);
        crc.update(numbers.array());
        add(crc, record.hasKey() ? record.key() : null);
        add(crc, record.hasValue() ? record.value() : null);
        for (Header header : record.headers()) {
            add(crc, ByteBuffer.wrap(header.key().getBytes(StandardCharsets.UTF_8)));
            add(crc, header.value() == null ? null : ByteBuffer.wrap(header.value()));
        }
    }

    private static void add(CRC32 crc, ByteBuffer bytes) {
        crc.update(ByteBuffer.allocate(4).putInt(bytes == null ? -1 : bytes.remaining()).array());
        if (bytes != null) {
            crc.update(bytes.duplicate());
        }
    }
}
