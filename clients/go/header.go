package countersign

import (
	"net/http"
	"strings"
)

// headerOf returns the value of a header, ignoring the case of its name. Several values are joined with commas, as
// HTTP specifies, so that none of them hides the others.
func headerOf(header http.Header, name string) string {
	var values []string
	for given, all := range header {
		if strings.EqualFold(given, name) {
			values = append(values, all...)
		}
	}
	for i, value := range values {
		values[i] = strings.TrimSpace(value)
	}
	return strings.Join(values, ", ")
}
