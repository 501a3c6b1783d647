// Acquire with the SDK for Go: connected while it starts, with one client for all calls.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	fresh    = time.Minute
)

type item = map[string]types.AttributeValue

type known struct {
	app    item
	readAt time.Time
}

type server struct {
	table string
	db    *dynamodb.Client
	lock  sync.Mutex
	apps  map[string]known
}

type request struct {
	CallbackURL *string         `json:"callbackUrl"`
	Metadata    json.RawMessage `json:"metadata"`
}

func text(value types.AttributeValue) string {
	member, _ := value.(*types.AttributeValueMemberS)
	if member == nil {
		return ""
	}
	return member.Value
}

func s(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func n(value int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(value, 10)}
}

func (srv *server) get(ctx context.Context, pk, sk string) (item, error) {
	out, err := srv.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &srv.table, Key: item{"pk": s(pk), "sk": s(sk)}, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

func (srv *server) appOf(ctx context.Context, key string) (item, error) {
	digest := sha256.Sum256([]byte(key))
	hash := hex.EncodeToString(digest[:])
	srv.lock.Lock()
	found, ok := srv.apps[hash]
	srv.lock.Unlock()
	if ok && time.Since(found.readAt) < fresh {
		return found.app, nil
	}
	pointer, err := srv.get(ctx, "KEY#"+hash, "KEY")
	if err != nil || pointer == nil {
		return nil, err
	}
	stored, err := srv.get(ctx, "APP#"+text(pointer["app"]), "APP")
	if err != nil || stored == nil {
		return nil, err
	}
	app, _ := stored["app"].(*types.AttributeValueMemberM)
	keys, _ := stored["keys"].(*types.AttributeValueMemberL)
	if app == nil || keys == nil {
		return nil, nil
	}
	wanted := base64.RawURLEncoding.EncodeToString(digest[:])
	for _, key := range keys.Value {
		record, _ := key.(*types.AttributeValueMemberM)
		if record != nil && text(record.Value["hash"]) == wanted && record.Value["revoked_at"] == nil {
			srv.lock.Lock()
			srv.apps[hash] = known{app.Value, time.Now()}
			srv.lock.Unlock()
			return app.Value, nil
		}
	}
	return nil, nil
}

func spell(bits []byte) string {
	value := new(big.Int).SetBytes(bits)
	symbols := make([]byte, 16)
	for i := range symbols {
		shifted := new(big.Int).Rsh(value, uint(75-5*i))
		symbols[i] = alphabet[shifted.Uint64()&31]
	}
	return string(symbols)
}

func (srv *server) handle(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	answer := events.APIGatewayV2HTTPResponse{StatusCode: 401, Body: "{}"}
	app, err := srv.appOf(ctx, event.Headers["x-api-key"])
	if err != nil || app == nil {
		return answer, err
	}
	var body request
	if event.Body != "" {
		if err := json.Unmarshal([]byte(event.Body), &body); err != nil {
			return events.APIGatewayV2HTTPResponse{StatusCode: 400, Body: "{}"}, nil
		}
	}
	bits := make([]byte, 10)
	if _, err := rand.Read(bits); err != nil {
		return answer, err
	}
	digest := sha256.Sum256(append([]byte("countersign/confirmation-id/1\x00"), bits...))
	id := hex.EncodeToString(digest[:16])
	now := time.Now()
	expires := now.Add(5 * time.Minute)
	purge := expires.Add(7 * 24 * time.Hour)
	sendTo := ""
	if numbers, ok := app["senders"].(*types.AttributeValueMemberL); ok {
		if first, ok := numbers.Value[0].(*types.AttributeValueMemberM); ok {
			sendTo = text(first.Value["number"])
		}
	}
	callback := text(app["default_callback"])
	if body.CallbackURL != nil {
		callback = *body.CallbackURL
	}
	message := strings.ReplaceAll(text(app["template"]), "{code}", text(app["prefix"])+"-"+spell(bits))
	_, err = srv.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &srv.table,
		Item: item{
			"pk": s("CFM#" + id), "sk": s("CFM"), "v": n(2), "r": n(1),
			"a": s(text(app["id"])), "f": s("a"), "s": s("o"),
			"to": s(sendTo), "u": s(callback), "m": s(string(body.Metadata)),
			"c": n(now.UnixMilli()), "x": n(expires.UnixMilli()), "p": n(purge.UnixMilli()), "ttl": n(purge.Unix() + 1),
		},
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return answer, err
	}
	fmt.Printf("{\"level\":\"INFO\",\"message\":\"answered\",\"status\":200,\"id\":\"cfm_%s\"}\n", id)
	written, err := json.Marshal(map[string]string{
		"confirmationId": "cfm_" + id, "confirmationMessage": message, "sendTo": sendTo,
		"expiresAt": expires.UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	headers := map[string]string{"content-type": "application/json"}
	return events.APIGatewayV2HTTPResponse{StatusCode: 200, Headers: headers, Body: string(written)}, err
}

func main() {
	ctx := context.Background()
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		panic(err)
	}
	srv := &server{
		table: os.Getenv("COUNTERSIGN_TABLE"), db: dynamodb.NewFromConfig(settings), apps: map[string]known{},
	}
	// Connects.
	if _, err := srv.get(ctx, "PROFILE", "PROFILE"); err != nil {
		panic(err)
	}
	lambda.Start(srv.handle)
}
