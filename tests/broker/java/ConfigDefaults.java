import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

/** ConfigDefaults: each option of consumer, producer and admin client with its default, null where there is none. */
final class ConfigDefaults {
    public static void main(String[] args) throws Exception {
        for (ConfigDef options : new ConfigDef[] {
            ConsumerConfig.configDef(), ProducerConfig.configDef(), AdminClientConfig.configDef()
        }) {
            for (ConfigDef.ConfigKey option : options.configKeys().values()) {
                Map<String, Object> line = new LinkedHashMap<>();
                boolean has = option.hasDefault() && option.defaultValue != null;
                line.put("name", option.name);
                line.put("default", has ? ConfigDef.convertToString(option.defaultValue, option.type) : null);
                Lines.print(line);
            }
        }
        Lines.flush();
    }
}
