import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consume PROPERTIES TOPIC SECONDS: prints all records of a topic, from its beginning to its end at the time of the start. */
final class Consume {
    public static void main(String[] args) throws Exception {
        Properties properties = Lines.properties(args[0]);
        long deadline = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000_000L;
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (PartitionInfo partition : consumer.partitionsFor(args[1])) {
                partitions.add(new TopicPartition(args[1], partition.partition()));
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            // With read_committed these are the last stable offsets: what an open transaction holds back is not waited for.
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("not at the end " + ends + " in time");
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    if (record.offset() < ends.get(new TopicPartition(record.topic(), record.partition()))) {
                        print(record);
                    }
                }
            }
        }
        Lines.flush();
    }

    private static void print(ConsumerRecord<byte[], byte[]> record) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("partition", record.partition());
        line.put("offset", record.offset());
        line.put("timestamp", record.timestamp());
        line.put("timestampType", record.timestampType().name);
        line.put("key", Lines.base64(record.key()));
        line.put("value", Lines.base64(record.value()));
        line.put("headers", Lines.headers(record.headers()));
        Lines.print(line);
    }
}
