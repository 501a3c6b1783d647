// A Countersign webhook receiver in Java 17 or later, in one file, without dependencies.
//
//   COUNTERSIGN_API_KEY=cs_live_... java Receiver.java
//
// ../README.md lists the rules that it follows, and ../../webhooks.md explains them.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

import static java.nio.charset.StandardCharsets.UTF_8;

public final class Receiver {
    static final int MAX_BODY = 64 * 1024;
    static final Duration OUTGOING_TIMEOUT = Duration.ofSeconds(5);
    static final HttpClient OUTGOING =
            HttpClient.newBuilder().connectTimeout(OUTGOING_TIMEOUT).build(); // No redirects.

    /** An answer that ends the handling of a request. */
    static final class Refusal extends Exception {
        final int status;

        Refusal(int status, String text) {
            super(text);
            this.status = status;
        }
    }

    final String baseUrl;
    final String apiKey;
    final String callbackUrl;
    final KeyRing keys;
    final Confirmations confirmations = new Confirmations();

    Receiver(String baseUrl, String address, Map<String, String> env) {
        this.baseUrl = baseUrl;
        this.apiKey = env.getOrDefault("COUNTERSIGN_API_KEY", "");
        this.callbackUrl = env.getOrDefault("CALLBACK_URL", address + "/webhook");
        long refetch = Long.parseLong(env.getOrDefault("KEY_REFETCH_SECONDS", "10"));
        this.keys = new KeyRing(baseUrl, Duration.ofSeconds(refetch));
    }

    public static void main(String[] arguments) throws IOException {
        // Seconds that a request may take to arrive. Read once, when the server's classes load.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        Map<String, String> env = System.getenv();
        String given = env.getOrDefault("COUNTERSIGN_URL", "http://127.0.0.1:8787");
        URI base = URI.create(given.replaceAll("/+$", ""));
        // Over plain http, anyone on the network path could send us another key.
        if (!"https".equals(base.getScheme())
                && !Set.of("127.0.0.1", "[::1]", "localhost").contains(base.getHost())) {
            throw new IllegalArgumentException("COUNTERSIGN_URL must be https");
        }
        int port = Integer.parseInt(env.getOrDefault("PORT", "4000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        Receiver receiver = new Receiver(base.toString(), address, env);
        server.createContext("/", receiver::answer);
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.start();
        System.out.println("listening on " + address);
    }

    void answer(HttpExchange exchange) throws IOException {
        int status = 200;
        String text;
        try {
            text = route(exchange);
        } catch (Refusal refusal) {
            status = refusal.status;
            text = refusal.getMessage();
        } catch (Exception error) {
            error.printStackTrace();
            status = 500;
            text = "internal error";
        }
        byte[] body = text.getBytes(UTF_8);
        String type = text.startsWith("{") ? "application/json" : "text/plain; charset=utf-8";
        exchange.getResponseHeaders().set("content-type", type);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    String route(HttpExchange exchange) throws Exception {
        String path = exchange.getRequestURI().getPath();
        if (!"/webhook".equals(path) && !"/start".equals(path)) {
            throw new Refusal(404, "not found");
        }
        if (!"POST".equals(exchange.getRequestMethod())) {
            throw new Refusal(405, "POST only");
        }
        return "/webhook".equals(path) ? webhook(exchange) : start();
    }

    String webhook(HttpExchange exchange) throws Exception {
        // The signature is of these raw bytes, never of a parsed and re-serialised body.
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) {
            throw new Refusal(413, "body too large");
        }
        checkSignature(
                exchange.getRequestHeaders().getFirst("x-signature-key-id"),
                exchange.getRequestHeaders().getFirst("x-signature"),
                body);
        Map<?, ?> event = parseEvent(body);
        if (isPhone(event)) {
            // Its key is registered already. A service that acts on it accepts each registration
            // that it created, and only once.
            return "acknowledged";
        }
        switch (confirmations.accept((String) event.get("confirmationId"))) {
            case ACCEPTED:
                onVerified(event);
                return "accepted";
            case REPEATED:
                return "already accepted";
            default:
                throw new Refusal(404, "unknown confirmation");
        }
    }

    void checkSignature(String kid, String signature, byte[] body) throws Exception {
        if (kid == null || signature == null) {
            throw new Refusal(403, "signature missing");
        }
        PublicKey key = keys.find(kid);
        if (key == null) {
            throw new Refusal(403, "signature refused");
        }
        // The signature is DER, which this algorithm expects ("...inP1363Format" does not).
        Signature verifier = Signature.getInstance("SHA256withECDSA");
        verifier.initVerify(key);
        verifier.update(body);
        boolean valid;
        try {
            valid = verifier.verify(Base64.getDecoder().decode(signature));
        } catch (SignatureException | IllegalArgumentException malformed) {
            valid = false;
        }
        if (!valid) {
            throw new Refusal(403, "signature refused");
        }
    }

    static Map<?, ?> parseEvent(byte[] body) throws Refusal {
        Object event;
        try {
            event = Json.parse(new String(body, UTF_8));
        } catch (IllegalArgumentException malformed) {
            event = null;
        }
        if (event instanceof Map<?, ?> phone && isPhone(phone)) {
            return phone;
        }
        if (event instanceof Map<?, ?> fields
                && fields.get("confirmationId") instanceof String
                && fields.get("phoneNumber") instanceof String
                && "valid".equals(fields.get("validationStatus"))) {
            return fields;
        }
        throw new Refusal(400, "not a confirmation");
    }

    /** A phone without an app was set up, if the login callback is this receiver, too. */
    static boolean isPhone(Map<?, ?> event) {
        return "phone.registered".equals(event.get("event"))
                && event.get("registrationId") instanceof String;
    }

    /** Replace this with what your service does with a verified number. */
    static void onVerified(Map<?, ?> event) {
        System.out.println("verified " + mask((String) event.get("phoneNumber")));
    }

    static String mask(String number) {
        int length = number.length();
        return length < 5 ? "***" : number.substring(0, 3) + "***" + number.substring(length - 2);
    }

    /** Starts a confirmation, to try the receiver by hand. A real service does so for a signed-in user. */
    String start() throws Exception {
        // A URL contains no character that JSON would escape.
        String body = "{\"callbackUrl\":\"" + callbackUrl + "\"}";
        HttpRequest request = HttpRequest.newBuilder(URI.create(baseUrl + "/acquire-phone-number"))
                .timeout(OUTGOING_TIMEOUT)
                .header("content-type", "application/json")
                .header("x-api-key", apiKey)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response;
        try {
            response = OUTGOING.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException noAnswer) {
            throw new Refusal(502, "the service did not answer");
        }
        if (response.statusCode() != 200) {
            String said = response.statusCode() + ": " + response.body();
            throw new Refusal(502, "the service said " + said);
        }
        Map<?, ?> session = (Map<?, ?>) Json.parse(response.body());
        confirmations.remember((String) session.get("confirmationId"));
        return response.body();
    }
}

/** The service's public keys by key id, kept as long as its {@code Cache-Control} allows. */
final class KeyRing {
    private static final Duration MAX_AGE = Duration.ofMinutes(5);

    private record Loaded(Map<String, PublicKey> keys, long at) {}

    private final URI url;
    private final Duration refetch;
    private final ReentrantLock fetching = new ReentrantLock();
    private volatile Loaded loaded;
    private Long triedAt; // Guarded by `fetching`.

    KeyRing(String baseUrl, Duration refetch) {
        this.url = URI.create(baseUrl + "/.well-known/jwks.json");
        this.refetch = refetch;
    }

    /** Returns the key, or null if the service has no such key. Throws if keys cannot be fetched. */
    PublicKey find(String kid) throws Receiver.Refusal {
        PublicKey key = known(kid);
        if (key != null) {
            return key;
        }
        fetching.lock();
        try {
            // Another thread may have fetched while we waited.
            key = known(kid);
            if (key != null) {
                return key;
            }
            // Strangers can send us invented key ids, so we do not fetch for each unknown one.
            if (triedAt != null && System.nanoTime() - triedAt < refetch.toNanos()) {
                throw new Receiver.Refusal(500, "cannot verify just now");
            }
            triedAt = System.nanoTime();
            loaded = new Loaded(fetch(), System.nanoTime());
            return known(kid);
        } catch (InterruptedException | IOException | RuntimeException
                | GeneralSecurityException cause) {
            System.err.println("no keys: " + cause);
            throw new Receiver.Refusal(500, "cannot verify just now");
        } finally {
            fetching.unlock();
        }
    }

    private PublicKey known(String kid) {
        Loaded now = loaded;
        boolean fresh = now != null && System.nanoTime() - now.at() < MAX_AGE.toNanos();
        return fresh ? now.keys().get(kid) : null;
    }

    private Map<String, PublicKey> fetch()
            throws IOException, InterruptedException, GeneralSecurityException {
        HttpRequest request =
                HttpRequest.newBuilder(url).timeout(Receiver.OUTGOING_TIMEOUT).build();
        HttpResponse<String> response =
                Receiver.OUTGOING.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("status " + response.statusCode());
        }
        Map<String, PublicKey> keys = new HashMap<>();
        Map<?, ?> document = (Map<?, ?>) Json.parse(response.body());
        for (Object entry : (List<?>) document.get("keys")) {
            Map<?, ?> jwk = (Map<?, ?>) entry;
            if ("EC".equals(jwk.get("kty")) && "P-256".equals(jwk.get("crv"))) {
                keys.put((String) jwk.get("kid"), publicKey(jwk));
            }
        }
        return keys;
    }

    private static PublicKey publicKey(Map<?, ?> jwk) throws GeneralSecurityException {
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        ECPoint point = new ECPoint(number(jwk.get("x")), number(jwk.get("y")));
        ECParameterSpec parameters = curve.getParameterSpec(ECParameterSpec.class);
        return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, parameters));
    }

    private static BigInteger number(Object base64url) {
        return new BigInteger(1, Base64.getUrlDecoder().decode((String) base64url));
    }
}

/**
 * The confirmations that we started. In a real service this is a table, so that it survives a
 * restart: {@code accept} is {@code UPDATE ... SET state = 'accepted' WHERE id = ? AND state =
 * 'pending'}, in one transaction with everything that your service does about it.
 */
final class Confirmations {
    enum State { PENDING, ACCEPTED }

    enum Outcome { ACCEPTED, REPEATED, UNKNOWN }

    private final ConcurrentHashMap<String, State> states = new ConcurrentHashMap<>();

    /** Call this when the service has answered, before a user sees the message. */
    void remember(String confirmationId) {
        states.putIfAbsent(confirmationId, State.PENDING);
    }

    /** Returns ACCEPTED the first time, REPEATED after that, and UNKNOWN if it is not ours. */
    Outcome accept(String confirmationId) {
        if (states.replace(confirmationId, State.PENDING, State.ACCEPTED)) {
            return Outcome.ACCEPTED;
        }
        return states.containsKey(confirmationId) ? Outcome.REPEATED : Outcome.UNKNOWN;
    }
}

/**
 * A small JSON parser, so that the sample has no dependencies. Use Jackson or another library in your
 * project, and parse the body only after the signature was verified.
 */
final class Json {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Returns maps, lists, strings, doubles, booleans and null. Throws IllegalArgumentException if the
     * text is malformed.
     */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        json.expect(json.at == text.length());
        return value;
    }

    private Object value(int depth) {
        expect(depth <= MAX_DEPTH);
        space();
        if (take('{')) {
            Map<String, Object> fields = new HashMap<>();
            for (boolean more = !closes('}'); more; more = continues('}')) {
                space();
                expect(take('"'));
                String name = string();
                space();
                expect(take(':'));
                expect(!fields.containsKey(name));
                fields.put(name, value(depth + 1));
            }
            return fields;
        }
        if (take('[')) {
            List<Object> items = new ArrayList<>();
            for (boolean more = !closes(']'); more; more = continues(']')) {
                items.add(value(depth + 1));
            }
            return items;
        }
        return take('"') ? string() : scalar();
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return out.toString();
            }
            expect(c >= ' ');
            out.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = next();
        if (c == 'u') {
            expect(at + 4 <= text.length());
            at += 4;
            return (char) Integer.parseInt(text, at - 4, at, 16);
        }
        int index = "\"\\/bfnrt".indexOf(c);
        expect(index >= 0);
        return "\"\\/\b\f\n\r\t".charAt(index);
    }

    private Object scalar() {
        int from = at;
        while (at < text.length() && "+-.0123456789Eaeflnrstu".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String word = text.substring(from, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> Double.valueOf(word); // Throws an IllegalArgumentException.
        };
    }

    private boolean closes(char end) {
        space();
        return take(end);
    }

    private boolean continues(char end) {
        if (closes(end)) {
            return false;
        }
        expect(take(','));
        return true;
    }

    private char next() {
        expect(at < text.length());
        return text.charAt(at++);
    }

    private boolean take(char wanted) {
        boolean there = at < text.length() && text.charAt(at) == wanted;
        at += there ? 1 : 0;
        return there;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private void expect(boolean condition) {
        if (!condition) {
            throw new IllegalArgumentException("malformed JSON at " + at);
        }
    }
}
