import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Produce PROPERTIES TOPIC none|commit|abort|open: writes the records that come as JSON lines, and prints where each one is.
 *
 * <p>The last argument says what becomes of the transaction around them; "open" leaves it as a crashed producer would.
 */
final class Produce {
    public static void main(String[] args) throws Exception {
        String transaction = args[2];
        ByteArraySerializer bytes = new ByteArraySerializer();
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(Lines.properties(args[0]), bytes, bytes);
        if (!transaction.equals("none")) {
            producer.initTransactions();
            producer.beginTransaction();
        }
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            sent.add(producer.send(record(args[1], Lines.object(line))));
        }
        producer.flush();
        for (Future<RecordMetadata> future : sent) {
            print(future.get());
        }
        if (transaction.equals("commit")) {
            producer.commitTransaction();
        } else if (transaction.equals("abort")) {
            producer.abortTransaction();
        }
        Lines.flush();
        if (transaction.equals("open")) {
            Runtime.getRuntime().halt(0); // close() would abort it
        }
        producer.close();
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, Map<String, Object> fields) {
        List<Header> headers = new ArrayList<>();
        for (Object pair : (List<?>) fields.get("headers")) {
            headers.add(new RecordHeader((String) ((List<?>) pair).get(0), Lines.bytes(((List<?>) pair).get(1))));
        }
        Number timestamp = (Number) fields.get("timestamp");
        return new ProducerRecord<>(
            topic,
            (Integer) fields.get("partition"),
            timestamp == null ? null : timestamp.longValue(),
            Lines.bytes(fields.get("key")),
            Lines.bytes(fields.get("value")),
            headers);
    }

    private static void print(RecordMetadata metadata) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("partition", metadata.partition());
        line.put("offset", metadata.offset());
        line.put("timestamp", metadata.timestamp());
        Lines.print(line);
    }
}
