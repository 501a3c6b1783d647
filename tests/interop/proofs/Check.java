// Checks the vectors of ids, proofs and registrations with Nimbus JOSE + JWT and the JDK, and makes proofs of
// the same facts with its own keys.
//
//   java -cp nimbus-jose-jwt.jar Check.java VECTORS      (the folder of the vectors)

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.JSONArrayUtils;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static java.nio.charset.StandardCharsets.UTF_8;

public final class Check {
    private static final List<String> WRONG = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        for (Map<String, Object> it : read(folder.resolve("ids.json"))) {
            same("id", id(it), it.get("sessionId"));
        }
        List<Object> proofs = new ArrayList<>();
        for (Map<String, Object> it : read(folder.resolve("proofs.json"))) {
            proofs.add(proof(it));
        }
        List<Object> registrations = new ArrayList<>();
        for (Map<String, Object> it : read(folder.resolve("registrations.json"))) {
            registrations.add(registration(it));
        }
        Map<String, Object> report =
                Map.of("proofs", proofs, "registrations", registrations, "wrong", WRONG);
        System.out.println(JSONObjectUtils.toJSONString(report));
    }

    private static String id(Map<String, Object> it) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        boolean plain = it.get("browserToken") != null;
        if (plain) {
            digest.update("countersign/login-id/plain/1".getBytes(UTF_8));
            digest.update(Base64.getUrlDecoder().decode((String) it.get("browserToken")));
        } else {
            byte[] point = Base64.getUrlDecoder().decode((String) it.get("browserPublicKey"));
            List<byte[]> parts = List.of(bytes("countersign/login-id/1"), bytes(it.get("appKey")),
                    bytes(it.get("origin")), bytes(it.get("context")), point);
            for (byte[] part : parts) {
                digest.update((byte) (part.length >> 8));
                digest.update((byte) part.length);
                digest.update(part);
            }
        }
        return (plain ? "qrp_" : "qrs_") + HexFormat.of().formatHex(digest.digest(), 0, 16);
    }

    private static Map<String, Object> proof(Map<String, Object> it) throws Exception {
        ECKey key = new ECKey.Builder(Curve.P_256, spki(it)).build();
        same("thumbprint", key.computeThumbprint().toString(), it.get("keyId"));
        SignedJWT jwt = SignedJWT.parse((String) it.get("proof"));
        Map<String, Object> header =
                Map.of("alg", "ES256", "kid", it.get("keyId"), "typ", "countersign-login+jwt");
        same("header", new TreeMap<>(jwt.getHeader().toJSONObject()), new TreeMap<>(header));
        same("signature", jwt.verify(new ECDSAVerifier(key)), true);
        Map<String, Object> claims = claimsOf(it);
        same("claims", new TreeMap<>(jwt.getPayload().toJSONObject()), new TreeMap<>(claims));

        ECKey own = new ECKeyGenerator(Curve.P_256).keyIDFromThumbprint(true).generate();
        JWSHeader ownHeader = new JWSHeader.Builder(JWSAlgorithm.ES256)
                .type(new JOSEObjectType("countersign-login+jwt")).keyID(own.getKeyID()).build();
        SignedJWT made = new SignedJWT(ownHeader, JWTClaimsSet.parse(claims));
        made.sign(new ECDSASigner(own));
        return Map.of("publicKey", text(own), "proof", made.serialize());
    }

    private static Map<String, Object> registration(Map<String, Object> it) throws Exception {
        String text = "countersign-association-key/1\n" + it.get("appKey") + "\n"
                + it.get("publicUserId");
        same("text", text, it.get("text"));
        Signature verifier = Signature.getInstance("SHA256withECDSA");
        verifier.initVerify(spki(it));
        verifier.update(text.getBytes(UTF_8));
        byte[] der = Base64.getDecoder().decode((String) it.get("signature"));
        same("registration", verifier.verify(der), true);

        ECKey own = new ECKeyGenerator(Curve.P_256).generate();
        Signature signer = Signature.getInstance("SHA256withECDSA");
        signer.initSign(own.toECPrivateKey());
        signer.update(text.getBytes(UTF_8));
        String signature = Base64.getEncoder().encodeToString(signer.sign());
        return Map.of("publicKey", text(own), "signature", signature);
    }

    private static Map<String, Object> claimsOf(Map<String, Object> it) throws Exception {
        long issuedAt = (Long) it.get("at") / 1000;
        Map<String, Object> claims = new TreeMap<>();
        claims.put("app", it.get("appKey"));
        claims.put("aud", it.get("origin"));
        claims.put("jti", it.get("sessionId"));
        claims.put("act", "confirm");
        claims.put("iat", issuedAt);
        claims.put("exp", issuedAt + 300);
        byte[] salt = Base64.getUrlDecoder().decode((String) it.get("salt"));
        claims.put("pay", digest("countersign/pay/1", salt, bytes(it.get("payload"))));
        if (it.get("publicUserId") != null) {
            claims.put("sub", it.get("publicUserId"));
        }
        if (it.get("context") != null) {
            claims.put("ctx", digest("countersign/ctx/1", bytes(it.get("context"))));
        }
        return claims;
    }

    private static String digest(String label, byte[]... parts) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update((label + "\0").getBytes(UTF_8));
        for (byte[] part : parts) {
            digest.update(part);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
    }

    private static byte[] bytes(Object text) {
        return ((String) text).getBytes(UTF_8);
    }

    private static ECPublicKey spki(Map<String, Object> it) throws Exception {
        byte[] der = Base64.getDecoder().decode((String) it.get("publicKey"));
        return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der));
    }

    private static String text(ECKey key) throws Exception {
        return Base64.getEncoder().encodeToString(key.toECPublicKey().getEncoded());
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> read(Path file) throws Exception {
        List<Map<String, Object>> entries = new ArrayList<>();
        for (Object entry : JSONArrayUtils.parse(Files.readString(file))) {
            entries.add((Map<String, Object>) entry);
        }
        return entries;
    }

    private static void same(String what, Object left, Object right) {
        if (!left.equals(right)) {
            WRONG.add(what + ": " + left + " is not " + right);
        }
    }
}
