package countersign

import (
	"errors"
	"io"
	"net/http"
)

// maxBody is the maximum number of bytes that the handlers read of a request's body.
const maxBody = 64 << 10

// reply is a handler's answer.
type reply struct {
	status int
	text   string
}

var (
	methodRefused = &reply{http.StatusMethodNotAllowed, "POST only"}
	internalError = &reply{http.StatusInternalServerError, "internal error"}
	cannotVerify  = &reply{http.StatusInternalServerError, "cannot verify just now"}
)

func (r *reply) write(w http.ResponseWriter) {
	header := w.Header()
	setDefaults(header)
	header.Set("Content-Type", "text/plain; charset=utf-8")
	if r == methodRefused {
		header.Set("Allow", http.MethodPost)
	}
	w.WriteHeader(r.status)
	io.WriteString(w, r.text)
}

func setDefaults(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}

var errBodyConsumed = errors.New(
	"countersign: something has read the request's body before: pass the raw body, or mount this handler outside of it")

// readBody returns the body, or the answer to a request whose body cannot be read.
func (c *Client) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *reply) {
	content := r.Body
	if content == nil { // A request that was made by hand.
		content = http.NoBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, content, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &reply{http.StatusRequestEntityTooLarge, "body too large"}
	case errors.Is(err, http.ErrBodyReadAfterClose) || err == nil && r.ContentLength > int64(len(body)):
		c.log.ErrorContext(r.Context(), errBodyConsumed.Error())
		return nil, internalError
	case err != nil:
		return nil, &reply{http.StatusBadRequest, "body not read"}
	}
	return body, nil
}
