import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.header.Header;

/** What the programs share: JSON lines in and out, bytes as base64. */
final class Lines {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final PrintStream OUT =
        new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);

    private Lines() {}

    static void print(Map<String, Object> line) throws IOException {
        OUT.println(JSON.writeValueAsString(line));
    }

    static void flush() {
        OUT.flush();
    }

    static Map<String, Object> object(String json) throws IOException {
        return JSON.readValue(json, new TypeReference<Map<String, Object>>() {});
    }

    static Properties properties(String json) throws IOException {
        Properties properties = new Properties();
        properties.putAll(object(json));
        return properties;
    }

    static String base64(byte[] bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
    }

    static String base64(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return base64(bytes);
    }

    static byte[] bytes(Object base64) {
        return base64 == null ? null : Base64.getDecoder().decode((String) base64);
    }

    /** Headers as [name, value] pairs: their order and their doubles matter. */
    static List<List<String>> headers(Iterable<Header> headers) {
        List<List<String>> pairs = new ArrayList<>();
        for (Header header : headers) {
            List<String> pair = new ArrayList<>();
            pair.add(header.key());
            pair.add(base64(header.value()));
            pairs.add(pair);
        }
        return pairs;
    }
}
