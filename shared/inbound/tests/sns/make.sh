#!/bin/sh
# Generates the key, the certificates and the signed messages for the tests of SNS. The key only signs tests.
# Run it in this folder.
set -eu
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 36500 \
    -subj "/CN=sns.amazonaws.com" 2>/dev/null
openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.der
rm key.pem
openssl pkcs8 -inform DER -in key.der -nocrypt -out key.pem
sign() {
    printf '%s' "$2" | openssl dgst "-$1" -sign key.pem | openssl base64 -A
}
signed='Message
{"originationNumber":"+12025550100","destinationNumber":"+12025550199","messageBody":"CS-0","inboundMessageId":"m1"}
MessageId
s1
Subject
About
Timestamp
2026-11-22T10:00:00.000Z
TopicArn
arn:aws:sns:eu-west-1:123456789012:texts
Type
Notification
'
sign sha1 "$signed" >notification.sha1
sign sha256 "$signed" >notification.sha256
rm key.pem
