import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;

/** ReadSegment FILE: prints each batch of a segment file as the broker would read it, with its records inside. */
final class ReadSegment {
    public static void main(String[] args) throws Exception {
        try (FileRecords records = FileRecords.open(new File(args[0]), false)) {
            int end = 0;
            for (FileChannelRecordBatch batch : records.batches()) {
                print(batch);
                end = batch.position() + batch.sizeInBytes();
            }
            Map<String, Object> last = new LinkedHashMap<>();
            last.put("complete", end);
            last.put("size", records.sizeInBytes());
            Lines.print(last);
        }
        Lines.flush();
    }

    private static void print(FileChannelRecordBatch batch) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("position", batch.position());
        line.put("baseOffset", batch.baseOffset());
        line.put("lastOffset", batch.lastOffset());
        line.put("sizeInBytes", batch.sizeInBytes());
        line.put("magic", batch.magic());
        line.put("isValid", batch.isValid());
        line.put("crc", batch.checksum());
        line.put("compression", batch.compressionType().name);
        line.put("timestampType", batch.timestampType().name);
        line.put("maxTimestamp", batch.maxTimestamp());
        line.put("deleteHorizonMs", batch.deleteHorizonMs().isPresent() ? batch.deleteHorizonMs().getAsLong() : null);
        line.put("producerId", batch.producerId());
        line.put("producerEpoch", batch.producerEpoch());
        line.put("baseSequence", batch.baseSequence());
        line.put("lastSequence", batch.lastSequence());
        line.put("partitionLeaderEpoch", batch.partitionLeaderEpoch());
        line.put("isControl", batch.isControlBatch());
        line.put("isTransactional", batch.isTransactional());
        line.put("countOrNull", batch.countOrNull());
        List<Map<String, Object>> records = new ArrayList<>();
        for (Record record : batch) {
            records.add(fields(record, batch));
        }
        line.put("records", records);
        Lines.print(line);
    }

    private static Map<String, Object> fields(Record record, FileChannelRecordBatch batch) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("offset", record.offset());
        fields.put("timestamp", record.timestamp());
        fields.put("timestampType", batch.timestampType().name);
        fields.put("sequence", record.sequence());
        fields.put("key", Lines.base64(record.key()));
        fields.put("value", Lines.base64(record.value()));
        fields.put("headers", Lines.headers(Arrays.asList(record.headers())));
        return fields;
    }
}
