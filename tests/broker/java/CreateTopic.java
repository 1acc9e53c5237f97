import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** CreateTopic PROPERTIES TOPIC PARTITIONS REPLICATION_FACTOR CONFIGS */
final class CreateTopic {
    public static void main(String[] args) throws Exception {
        Map<String, String> configs = new LinkedHashMap<>();
        Lines.object(args[4]).forEach((name, value) -> configs.put(name, value.toString()));
        NewTopic topic = new NewTopic(args[1], Integer.parseInt(args[2]), Short.parseShort(args[3])).configs(configs);
        try (Admin admin = Admin.create(Lines.properties(args[0]))) {
            admin.createTopics(List.of(topic)).all().get();
        }
    }
}
