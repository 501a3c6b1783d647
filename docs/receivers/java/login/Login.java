// A server that logs browsers in by Countersign's proofs, in Java 17 or later, with Nimbus JOSE + JWT.
//
//   APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json mvn -q compile exec:java
//
// ../../README.md lists the rules that it follows, and ../../../logins.md explains them.

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.util.JSONArrayUtils;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

public final class Login {
    static final int MAX_BODY = 64 * 1024;

    /** A response that ends the handling of a request. Only the log gets the reason. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        final int status;
        final String text;

        Refusal(int status, String text, String reason) {
            super(reason);
            this.status = status;
            this.text = text;
        }

        static Refusal because(String reason) {
            return new Refusal(403, "not logged in", reason);
        }
    }

    final Verifier verifier;
    final UsedSessions used = new UsedSessions();

    Login(Verifier verifier) {
        this.verifier = verifier;
    }

    public static void main(String[] arguments) throws Exception {
        // Seconds that a request may take to arrive. Read once, when the server's classes load.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        Map<String, String> env = System.getenv();
        String appKey = env.get("APP_KEY");
        String origin = env.get("ORIGIN");
        if (appKey == null || origin == null) {
            throw new IllegalArgumentException("set APP_KEY and ORIGIN");
        }
        Map<String, Known> keys = Known.read(Path.of(env.getOrDefault("KEYS", "keys.json")));
        Login login = new Login(new Verifier(appKey, origin, keys, Clock.systemUTC()));
        int port = Integer.parseInt(env.getOrDefault("PORT", "4001"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", login::answer);
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.start();
        System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
    }

    void answer(HttpExchange exchange) throws IOException {
        int status = 200;
        String text;
        try {
            text = route(exchange);
        } catch (Refusal refusal) {
            System.err.println("refused: " + refusal.getMessage());
            status = refusal.status;
            text = refusal.text;
        } catch (Exception error) {
            error.printStackTrace();
            status = 500;
            text = "internal error";
        }
        byte[] body = text.getBytes(UTF_8);
        exchange.getResponseHeaders().set("content-type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    String route(HttpExchange exchange) throws Exception {
        if (!"/login".equals(exchange.getRequestURI().getPath())) {
            throw new Refusal(404, "not found", "not found");
        }
        if (!"POST".equals(exchange.getRequestMethod())) {
            throw new Refusal(405, "POST only", "POST only");
        }
        // Otherwise another site could log its visitors in here.
        String origin = exchange.getRequestHeaders().getFirst("origin");
        if (!verifier.origin().equals(origin)) {
            throw Refusal.because("the request comes from another page");
        }
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) {
            throw new Refusal(413, "body too large", "body too large");
        }
        return login(Detail.parse(body));
    }

    String login(Detail detail) throws Exception {
        String user = verifier.verify(detail);
        // Last, so that a refused proof does not use up the session.
        if (!used.take(detail.sessionId())) {
            throw Refusal.because("the session was used before");
        }
        onLogin(user);
        return "logged in";
    }

    /** Replace this with what your service does to log a user in. */
    static void onLogin(String user) {
        System.out.println("logged in " + user);
    }
}

/** The data that the page got with the event {@code confirmed}. */
record Detail(String sessionId, String payload, String salt, String proof) {
    static Detail parse(byte[] body) throws Login.Refusal {
        try {
            Map<String, Object> members = JSONObjectUtils.parse(new String(body, UTF_8));
            if (members != null
                    && members.get("sessionId") instanceof String sessionId
                    && members.get("payload") instanceof String payload
                    && members.get("salt") instanceof String salt
                    && members.get("proof") instanceof String proof) {
                return new Detail(sessionId, payload, salt, proof);
            }
        } catch (ParseException malformed) {
            // Answered below.
        }
        throw new Login.Refusal(400, "not a login", "not a login");
    }
}

/**
 * A public key and the user whom it is registered for. {@code passkey} is null for the key of an app
 * or a browser.
 */
record Known(ECKey key, String owner, Passkey passkey) {
    /** Reads the users' public keys, by key id. In a real service this is a table; see the README. */
    static Map<String, Known> read(Path file)
            throws IOException, ParseException, GeneralSecurityException, JOSEException {
        Map<String, Known> keys = new HashMap<>();
        for (Object entry : JSONArrayUtils.parse(Files.readString(file))) {
            Map<?, ?> fields = (Map<?, ?>) entry;
            byte[] der = Base64.getDecoder().decode((String) fields.get("publicKey"));
            KeyFactory factory = KeyFactory.getInstance("EC");
            ECPublicKey point = (ECPublicKey) factory.generatePublic(new X509EncodedKeySpec(der));
            if (!Curve.P_256.equals(Curve.forECParameterSpec(point.getParams()))) {
                throw new IllegalArgumentException("not a P-256 key");
            }
            ECKey key = new ECKey.Builder(Curve.P_256, point).build();
            String owner = (String) fields.get("publicUserId");
            keys.put(key.computeThumbprint().toString(), new Known(key, owner, Passkey.of(fields)));
        }
        return keys;
    }
}

/** Verifies the proofs of logins. */
record Verifier(String appKey, String origin, Map<String, Known> keys, Clock clock) {
    private static final int MAX_JWT = 2048;
    private static final long LIFETIME_SECONDS = 300;
    private static final long CLOCK_TOLERANCE_SECONDS = 60;
    private static final Set<String> CLAIMS =
            Set.of("act", "app", "aud", "exp", "iat", "jti", "pay");

    /** Returns the user who confirmed the login. Throws a refusal if the proof breaks a rule. */
    String verify(Detail detail) throws Login.Refusal, GeneralSecurityException {
        String[] parts = detail.proof().split("\\.", -1);
        boolean byPasskey = parts.length == Passkey.PARTS;
        holds(detail.proof().length() <= (byPasskey ? Passkey.MAX_PROOF : MAX_JWT),
                "the proof is too long");
        Object id = Passkey.parse(Passkey.decode(parts[0])).get("kid");
        String kid = id instanceof String text ? text : null;
        Known known = kid == null ? null : keys.get(kid);
        holds(known != null, "the key is unknown");
        // Comparing the whole header refuses other spellings, which the library's JSON reader
        // accepts, and other members, such as crit.
        holds(parts[0].equals(byPasskey ? Passkey.headerOf(kid) : headerOf(kid)),
                "the header is not that of a proof");
        holds(byPasskey == (known.passkey() != null),
                "the proof has another form than those of its key");
        Map<String, Object> claims = byPasskey
                ? signedByPasskey(detail.proof(), known)
                : signed(detail.proof(), known);
        check(claims, known, detail.sessionId());
        byte[] wanted = payOf(detail.payload(), detail.salt()).getBytes(UTF_8);
        boolean fits = claims.get("pay") instanceof String pay
                && MessageDigest.isEqual(pay.getBytes(UTF_8), wanted);
        holds(fits, "for another payload");
        return known.owner();
    }

    private static Map<String, Object> signedByPasskey(String proof, Known known)
            throws Login.Refusal, GeneralSecurityException {
        try {
            return known.passkey().claims(proof, known.key().toECPublicKey());
        } catch (JOSEException impossible) {
            throw new GeneralSecurityException(impossible);
        }
    }

    /** Returns the claims of a JWT that this key signed. */
    private static Map<String, Object> signed(String proof, Known known) throws Login.Refusal {
        try {
            SignedJWT jwt = SignedJWT.parse(proof);
            holds(jwt.verify(new ECDSAVerifier(known.key())), "the signature is false");
            Map<String, Object> claims = jwt.getPayload().toJSONObject();
            holds(claims != null, "the claims are not those of a proof");
            return claims;
        } catch (ParseException | JOSEException malformed) {
            throw Login.Refusal.because("the proof is malformed");
        }
    }

    private void check(Map<String, Object> claims, Known known, String sessionId)
            throws Login.Refusal {
        Set<String> names = new HashSet<>(claims.keySet());
        boolean named = names.remove("sub");
        // There is no `ctx`, since this page's logins have no context.
        holds(names.equals(CLAIMS), "the claims are not those of a proof");
        holds(appKey.equals(claims.get("app")), "for another app");
        holds(origin.equals(claims.get("aud")), "for another origin");
        holds(sessionId.equals(claims.get("jti")), "for another session");
        holds("confirm".equals(claims.get("act")), "for another action");
        holds(claims.get("iat") instanceof Long && claims.get("exp") instanceof Long,
                "the times are not whole seconds");
        long issuedAt = (Long) claims.get("iat");
        long expiresAt = (Long) claims.get("exp");
        // The issue time first, so that the difference cannot overflow.
        double now = clock.millis() / 1000.0;
        holds(issuedAt >= 0 && issuedAt <= now + CLOCK_TOLERANCE_SECONDS, "from the future");
        holds(expiresAt - issuedAt == LIFETIME_SECONDS, "the lifetime is not that of a proof");
        holds(now < expiresAt + CLOCK_TOLERANCE_SECONDS, "expired");
        holds(!named || known.owner().equals(claims.get("sub")), "the key belongs to another user");
    }

    /** Returns the header of a JWT by this key. Headers of proofs differ only in {@code kid}. */
    private static String headerOf(String kid) {
        String json = "{\"alg\":\"ES256\",\"kid\":\"" + kid + "\",\"typ\":\"countersign-login+jwt\"}";
        return Passkey.encode(json.getBytes(US_ASCII));
    }

    /** Computes the claim {@code pay} of a payload and its salt. */
    private static String payOf(String payload, String salt)
            throws Login.Refusal, GeneralSecurityException {
        byte[] raw;
        try {
            raw = Base64.getUrlDecoder().decode(salt);
        } catch (IllegalArgumentException malformed) {
            raw = new byte[0];
        }
        holds(raw.length == 16 && Passkey.encode(raw).equals(salt), "the salt is malformed");
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update("countersign/pay/1\0".getBytes(US_ASCII));
        digest.update(raw);
        return Passkey.encode(digest.digest(payload.getBytes(UTF_8)));
    }

    private static void holds(boolean condition, String reason) throws Login.Refusal {
        if (!condition) {
            throw Login.Refusal.because(reason);
        }
    }
}

/**
 * The sessions that have logged a user in. In a real service this is a table, so that it survives a
 * restart and all processes share it: {@code take} is {@code INSERT ... ON CONFLICT DO NOTHING}, and
 * true if it wrote a row. Delete rows after ten minutes, when every proof of the session has expired.
 */
final class UsedSessions {
    private final Set<String> ids = ConcurrentHashMap.newKeySet();

    boolean take(String sessionId) {
        return ids.add(sessionId);
    }
}
