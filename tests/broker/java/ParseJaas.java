import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;

/** ParseJaas: for each text on a line, in base64, the login module with its options, or an empty object for an error. */
final class ParseJaas {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Map<String, Object> parsed = new LinkedHashMap<>();
            try {
                String text = new String(Lines.bytes(line), StandardCharsets.UTF_8);
                JaasContext context = JaasContext.loadClientContext(Map.of("sasl.jaas.config", new Password(text)));
                AppConfigurationEntry entry = context.configurationEntries().get(0);
                parsed.put("login_module", entry.getLoginModuleName());
                parsed.put("options", entry.getOptions());
            } catch (RuntimeException error) {
                parsed.clear();
            }
            Lines.print(parsed);
        }
        Lines.flush();
    }
}
