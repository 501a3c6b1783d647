import dev.countersign.sdk.Session;
import dev.countersign.sdk.SvcCallback;
import dev.countersign.sdk.SvcConfiguration;
import dev.countersign.sdk.SvcCore;
import dev.countersign.sdk.SvcException;
import dev.countersign.sdk.SvcPlatform;
import java.io.File;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Generates a key, opens a login that the service does not know, and prints what came of both. */
class Main {
    public static void main(String[] arguments) throws SvcException {
        SvcPlatform platform = SvcPlatform.files(new File(arguments[1]));
        try (SvcCore svc = new SvcCore(new SvcConfiguration(arguments[0], List.of("login.shop.example")), platform)) {
            svc.generateAssociationKey("zoe");
            CompletableFuture<String> code = new CompletableFuture<>();
            String sessionId = svc.sessionIdOf("https://login.shop.example?sessionId=qrs_" + "0".repeat(32));
            svc.initializeQrSession("cs_app_0123456789abcdefABCDEF", sessionId, null, Runnable::run, new SvcCallback<Session>() {
                @Override
                public void onSuccess(Session session) {
                    code.complete("success");
                }

                @Override
                public void onFailure(SvcException error) {
                    code.complete(error.getCode());
                }
            });
            System.out.println(String.join(", ", svc.listAssociationKey()));
            System.out.println(code.join());
        }
    }
}
