// Proofs by passkeys, for phones without an app: ../../../logins.md#a-proof-by-a-passkey.

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.impl.ECDSA;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.text.ParseException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

/** The page of a key that is a passkey, as {@code GET /association-keys} lists it. */
record Passkey(String rpId, String origin) {
    static final int MAX_PROOF = 2560;
    static final int PARTS = 5;
    private static final int USER_PRESENT = 1;
    private static final int USER_VERIFIED = 1 << 2;
    private static final int BACKUP_ELIGIBLE = 1 << 3;
    private static final int BACKED_UP = 1 << 4;
    private static final int ATTESTED = 1 << 6;
    /** Hash, flags and counter. */
    private static final int MIN_AUTHENTICATOR_DATA = 37;

    /** Returns the passkey of a registered key, or null for the key of an app or a browser. */
    static Passkey of(Map<?, ?> fields) {
        Object kind = fields.get("kind");
        if (kind == null || "app".equals(kind) || "browser".equals(kind)) {
            return null;
        }
        if ("passkey".equals(kind)
                && fields.get("rpId") instanceof String rpId
                && fields.get("origin") instanceof String origin) {
            return new Passkey(rpId, origin);
        }
        throw new IllegalArgumentException(
                "a key has an unknown kind, or is a passkey without rpId or origin");
    }

    /** Returns the header of a proof by this key. */
    static String headerOf(String kid) {
        String json = "{\"alg\":\"WebAuthn-ES256\",\"kid\":\"" + kid
                + "\",\"typ\":\"countersign-login+webauthn\"}";
        return encode(json.getBytes(US_ASCII));
    }

    /** Returns the claims of a proof that this passkey signed with its key. The caller checks them. */
    Map<String, Object> claims(String proof, ECPublicKey key)
            throws Login.Refusal, GeneralSecurityException {
        String[] parts = proof.split("\\.", -1);
        byte[] authenticatorData = decode(parts[2]);
        byte[] clientData = decode(parts[3]);
        String input = "countersign/webauthn/1\0" + parts[0] + "." + parts[1];
        checkClientData(parse(clientData), encode(sha256(input.getBytes(US_ASCII))));
        checkAuthenticatorData(authenticatorData);
        Signature verifier = Signature.getInstance("SHA256withECDSA");
        verifier.initVerify(key);
        verifier.update(authenticatorData);
        verifier.update(sha256(clientData));
        byte[] signature = decode(parts[4]);
        holds(isStrict(signature) && verifier.verify(signature), "the signature is false");
        return parse(decode(parts[1]));
    }

    private void checkClientData(Map<String, Object> client, String challenge) throws Login.Refusal {
        holds("webauthn.get".equals(client.get("type")), "not an assertion of a passkey");
        holds(challenge.equals(client.get("challenge")), "the passkey signed something else");
        holds(origin.equals(client.get("origin")), "the passkey was used on another page");
        Object crossOrigin = client.getOrDefault("crossOrigin", false);
        boolean framed = client.containsKey("topOrigin") || !Boolean.FALSE.equals(crossOrigin);
        holds(!framed, "the passkey was used in a frame of another site");
    }

    private void checkAuthenticatorData(byte[] data) throws Login.Refusal, GeneralSecurityException {
        holds(data.length >= MIN_AUTHENTICATOR_DATA, "the authenticator data is too short");
        byte[] domain = Arrays.copyOf(data, 32);
        holds(MessageDigest.isEqual(domain, sha256(rpId.getBytes(UTF_8))),
                "the passkey belongs to another domain");
        int flags = data[32];
        int verified = USER_PRESENT | USER_VERIFIED;
        holds((flags & verified) == verified, "the phone did not verify its user");
        holds((flags & BACKUP_ELIGIBLE) != 0 || (flags & BACKED_UP) == 0,
                "the passkey was copied although it cannot be");
        holds((flags & ATTESTED) == 0, "not an assertion of a passkey");
    }

    /** Whether a signature is in DER, in the only encoding of its two numbers, and neither is zero. */
    private static boolean isStrict(byte[] der) {
        try {
            byte[] numbers = ECDSA.transcodeSignatureToConcat(der, 64);
            ECDSA.ensureLegalSignature(numbers, JWSAlgorithm.ES256);
            return Arrays.equals(der, ECDSA.transcodeSignatureToDER(numbers));
        } catch (JOSEException | RuntimeException malformed) {
            return false;
        }
    }

    /** Parses a JSON object. The library refuses one that has two members with the same name. */
    static Map<String, Object> parse(byte[] json) throws Login.Refusal {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
            // The library would skip a byte order mark.
            Map<String, Object> members =
                    text.startsWith("\uFEFF") ? null : JSONObjectUtils.parse(text);
            if (members != null) {
                return members;
            }
        } catch (ParseException | CharacterCodingException malformed) {
            // Refused below.
        }
        throw Login.Refusal.because("a part of the proof is not a JSON object");
    }

    /** Decodes base64url in its only spelling: without padding, line feeds or surplus bits. */
    static byte[] decode(String text) throws Login.Refusal {
        try {
            byte[] raw = Base64.getUrlDecoder().decode(text);
            if (encode(raw).equals(text)) {
                return raw;
            }
        } catch (IllegalArgumentException malformed) {
            // Refused below.
        }
        throw Login.Refusal.because("the proof is malformed");
    }

    static String encode(byte[] raw) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(raw);
    }

    private static byte[] sha256(byte[] data) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(data);
    }

    private static void holds(boolean condition, String reason) throws Login.Refusal {
        if (!condition) {
            throw Login.Refusal.because(reason);
        }
    }
}
