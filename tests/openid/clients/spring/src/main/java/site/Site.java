package site;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtDecoderFactory;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A site whose users log in with their phone numbers. */
@SpringBootApplication
@RestController
public class Site {

  public static void main(String[] args) {
    SpringApplication.run(Site.class, args);
  }

  @Bean
  SecurityFilterChain filters(HttpSecurity http) throws Exception {
    return http
        .authorizeHttpRequests(requests -> requests.requestMatchers("/login", "/error").permitAll().anyRequest().authenticated())
        .oauth2Login(withDefaults())
        .build();
  }

  /** Accepts the provider's signatures: by default, Spring Security expects RS256. */
  @Bean
  JwtDecoderFactory<ClientRegistration> idTokenDecoderFactory() {
    var factory = new OidcIdTokenDecoderFactory();
    factory.setJwsAlgorithmResolver(registration -> SignatureAlgorithm.ES256);
    return factory;
  }

  @GetMapping("/")
  String home() {
    return "Logged in";
  }

  @GetMapping("/me")
  Map<String, String> me(@AuthenticationPrincipal OidcUser user) {
    return Map.of("sub", user.getSubject(), "phone_number", user.getPhoneNumber());
  }
}
