"""A site whose users log in with mozilla-django-oidc, in one file."""

import os
from wsgiref.simple_server import make_server

import django
from django.conf import settings

ISSUER = os.environ["ISSUER"]
PORT = int(os.environ["PORT"])

settings.configure(
    SECRET_KEY=os.environ["AUTH_SECRET"],
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "mozilla_django_oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=[f"{__name__}.PhoneNumberBackend"],
    LOGIN_REDIRECT_URL="/",
    LOGIN_REDIRECT_URL_FAILURE="/failed",
    OIDC_RP_CLIENT_ID=os.environ["CLIENT_ID"],
    OIDC_RP_CLIENT_SECRET=os.environ["CLIENT_SECRET"],
    OIDC_RP_SCOPES="openid phone",
    OIDC_RP_SIGN_ALGO="ES256",
    OIDC_USE_PKCE=True,
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{ISSUER}/authorize",
    OIDC_OP_TOKEN_ENDPOINT=f"{ISSUER}/token",
    OIDC_OP_USER_ENDPOINT=f"{ISSUER}/userinfo",
    OIDC_OP_JWKS_ENDPOINT=f"{ISSUER}/openid/jwks.json",
)
django.setup()

# Django has to be configured before these are imported.
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from mozilla_django_oidc.auth import OIDCAuthenticationBackend  # noqa: E402


class PhoneNumberBackend(OIDCAuthenticationBackend):
    """Finds users by the provider's id for them, since they have no email address."""

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def create_user(self, claims):
        return self.update_user(self.UserModel(username=claims["sub"]), claims)

    def update_user(self, user, claims):
        self.request.session["phone_number"] = claims.get("phone_number")
        user.set_unusable_password()
        user.save()
        return user


def home(request):
    """The home page."""
    if request.user.is_authenticated:
        return HttpResponse("<p>Logged in</p>")
    return HttpResponse('<p>Not logged in</p><a href="/oidc/authenticate/">Log in</a>')


def me(request):
    """Returns the user who is logged in."""
    if not request.user.is_authenticated:
        return JsonResponse(None, safe=False)
    return JsonResponse(
        {
            "sub": request.user.username,
            "user": request.user.pk,
            "phone_number": request.session["phone_number"],
        }
    )


def failed(request):
    """Says that nobody is logged in."""
    return HttpResponse("<p>The login failed</p>", status=401)


urlpatterns = [
    path("", home),
    path("me", me),
    path("failed", failed),
    path("oidc/", include("mozilla_django_oidc.urls")),
]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    server = make_server("127.0.0.1", PORT, get_wsgi_application())
    print(f"listening on http://localhost:{PORT}", flush=True)
    server.serve_forever()
