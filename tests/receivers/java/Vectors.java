import com.nimbusds.jose.util.JSONArrayUtils;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * Runs the passkeys' vectors of the server libraries with the login sample's verifier: {@code Vectors VECTORS KEYS}.
 * Prints the name of each case, and the user whom it logs in or the word {@code refused}.
 */
public final class Vectors {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> vectors = JSONObjectUtils.parse(Files.readString(Path.of(arguments[0])));
        Map<?, ?> passkeys = (Map<?, ?>) vectors.get("passkeys");
        Path file = Path.of(arguments[1]);
        List<?> keys = (List<?>) passkeys.get("keys");
        Files.writeString(file, JSONArrayUtils.toJSONString(keys).replace("\"userId\"", "\"publicUserId\""));
        Clock clock = Clock.fixed(Instant.ofEpochSecond((Long) vectors.get("at")), ZoneOffset.UTC);
        String origin = (String) passkeys.get("origin");
        Verifier verifier = new Verifier("cs_app_0123456789abcdefABCDEF", origin, Known.read(file), clock);
        for (Object entry : (List<?>) passkeys.get("cases")) {
            Map<?, ?> one = (Map<?, ?>) entry;
            // The sample's logins have no context, and their payload comes from the page.
            if (one.get("context") != null || (Boolean) one.get("openedByServer")) {
                continue;
            }
            Map<?, ?> detail = (Map<?, ?>) one.get("detail");
            String outcome;
            try {
                outcome = verifier.verify(new Detail(
                        (String) detail.get("sessionId"), (String) detail.get("payload"),
                        (String) detail.get("salt"), (String) detail.get("proof")));
            } catch (Login.Refusal refusal) {
                outcome = "refused";
            }
            System.out.println(one.get("name") + "\t" + outcome);
        }
    }
}
