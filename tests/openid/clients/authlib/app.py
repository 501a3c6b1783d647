"""A site whose users log in with Authlib and Flask. Without CLIENT_SECRET it is a public client."""

import os

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, session, url_for
from werkzeug.serving import make_server

app = Flask(__name__)
app.secret_key = os.environ["AUTH_SECRET"]
oauth = OAuth(app)
oauth.register(
    "countersign",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ.get("CLIENT_SECRET"),
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid phone", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    """The home page."""
    return "<p>Logged in</p>" if "user" in session else '<p>Not logged in</p><a href="/login">Log in</a>'


@app.get("/me")
def me():
    """Returns the user who is logged in."""
    return jsonify(session.get("user"))


@app.get("/login")
def login():
    """Sends the browser to the provider."""
    return oauth.countersign.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    """Logs the user in."""
    claims = oauth.countersign.authorize_access_token()["userinfo"]
    session["user"] = {"sub": claims["sub"], "phone_number": claims.get("phone_number")}
    return redirect("/")


@app.errorhandler(OAuthError)
def failed(error):
    """Says why nobody is logged in."""
    return f"<p>Not logged in: {error.error}</p>", 401


if __name__ == "__main__":
    port = int(os.environ["PORT"])
    server = make_server("127.0.0.1", port, app, threaded=True)
    print(f"listening on http://localhost:{port}", flush=True)
    server.serve_forever()
