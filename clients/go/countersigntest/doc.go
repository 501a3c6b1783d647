// Package countersigntest provides a phone for an app's own tests, so that they cover logins and approvals
// without a device:
//
//	client, err := countersign.New(countersign.Config{APIKey: "cs_test_…", …})
//	phone, err := countersigntest.NewPhone(client, "zoe@example.com")
//	err = phone.Register(ctx) // or keep phone.PublicKey() where your server looks for keys
//
//	approval, err := client.Approvals.Start(ctx, …) // what your own route does
//	opened, err := phone.Open(ctx, approval.Session.URL)
//	_, err = opened.Confirm(ctx, "")
//
// The phone works only with a test key (`countersign key issue APP --test`), and opens only logins that a test key
// opened. It refuses whatever a phone of the app refuses, with a [RefusedError].
//
// Encrypting payloads requires Go 1.26 or later, whose standard library has HPKE. Everything else has the
// library's own requirements.
package countersigntest
