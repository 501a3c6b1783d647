package startlimit_test

import (
	"log"
	"net"
	"net/http"

	"github.com/countersign/countersign/clients/go/startlimit"
)

func Example() {
	limiter, err := startlimit.New(startlimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /sign-up/phone", func(w http.ResponseWriter, r *http.Request) {
		address, _, err := net.SplitHostPort(r.RemoteAddr) // Behind a proxy, take what your own proxy says.
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		refusal, err := limiter.Take(r.Context(), startlimit.Start{
			Browser: sessionOf(w, r), Address: address, PhoneNumber: r.PostFormValue("number"),
		})
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		if refusal != nil {
			refusal.Write(w)
			return
		}
		startConfirmation(w, r)
	})
}

// sessionOf returns the id of the browser's session, and starts a session if there is none.
func sessionOf(http.ResponseWriter, *http.Request) string { return "" }

func startConfirmation(http.ResponseWriter, *http.Request) {}
