package countersign

// Version is the version of this library.
const Version = "0.1.0"

// userAgent is sent with each request.
const userAgent = "countersign-go/" + Version
