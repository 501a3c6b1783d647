package countersign

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// ApprovalStatus is the status of an approval.
type ApprovalStatus string

// Statuses of an approval.
const (
	ApprovalPending         ApprovalStatus = "pending"          // not decided yet
	ApprovalApproved        ApprovalStatus = "approved"         // by its user, who signed it
	ApprovalDenied          ApprovalStatus = "denied"           // Reason says more
	ApprovalExpired         ApprovalStatus = "expired"          // Reason says more
	ApprovalAlreadyReported ApprovalStatus = "already_reported" // an earlier call had the outcome: read your own record
)

// ApprovalReason explains why an approval was denied or has expired.
type ApprovalReason string

// Reasons why an approval did not succeed.
const (
	ReasonDenied     ApprovalReason = "denied"     // the person said no
	ReasonBlocked    ApprovalReason = "blocked"    // two phones, a wrong check code, or the risk
	ReasonUnverified ApprovalReason = "unverified" // confirmed, but not provably by its user; the log says why
	ReasonExpired    ApprovalReason = "expired"    // there was no decision in time
	ReasonCancelled  ApprovalReason = "cancelled"
)

// ApprovalResult is the result of an approval.
type ApprovalResult struct {
	// ID is the approval's id.
	ID     string
	Status ApprovalStatus
	// Reason is set if Status is [ApprovalDenied] or [ApprovalExpired].
	Reason ApprovalReason
	// ExpiresIn is the number of seconds left. It is set if Status is [ApprovalPending].
	ExpiresIn int64
	// UserID, KeyID, Context and Origin say who approved what, and with which key. They are set only if Status
	// is [ApprovalApproved].
	UserID, KeyID, Context, Origin string
}

// approvalLogin is a login that also records whether the service's answer said that the check code is still
// awaited.
type approvalLogin struct {
	InspectedSession
	CheckCodeRequired *bool `json:"checkCodeRequired"`
}

// ApprovalOptions says how to find keys, and what to do with a result.
type ApprovalOptions struct {
	// FindKey finds the key that signed the approval. If it is nil, the user's keys that are registered with the
	// service are used; see [AssociationKeyService].
	FindKey FindKey
	// OnResult acts on a final result. It runs once for each approval, but not for an approval that the service has
	// forgotten. The context contains what the [Store] adds to it, so that both can share a transaction. If it
	// fails, Result returns the error, and a later call runs it again. It may be nil.
	OnResult func(ctx context.Context, result *ApprovalResult) error
}

// Result returns the result of an approval that this service started. Each final result is returned once; after that,
// Status is [ApprovalAlreadyReported]. Asking about a pending approval has no side effects, so you can ask as often
// as your page does.
//
// The service forgets an approval a quarter of an hour after its start. From then on, Status is
// [ApprovalExpired], even if the result was reported before: rely on your own record.
//
// The error is an [UnknownApprovalError] if this service did not start the approval, or started it for another user.
func (s *ApprovalService) Result(
	ctx context.Context, id string, expected ApprovalOptions, options ...RequestOption,
) (*ApprovalResult, error) {
	if s.client.appKey == "" {
		return nil, errors.New("countersign: approvals need Config.AppKey")
	}
	settings := s.client.apply(options)
	login := &approvalLogin{}
	err := s.client.do(ctx, request{method: http.MethodGet, path: loginPath(id), limits: settings.limits}, login)
	var problem *ProblemError
	if errors.As(err, &problem) && problem.Code == CodeSessionNotFound {
		return &ApprovalResult{ID: id, Status: ApprovalExpired, Reason: ReasonExpired}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.report(ctx, id, login, expected, settings.limits)
}

// report returns the result of an approval that the service knows, and marks the approval as reported if the
// result is final.
func (s *ApprovalService) report(
	ctx context.Context, id string, login *approvalLogin, expected ApprovalOptions, limits limits,
) (*ApprovalResult, error) {
	if login.ExpectedPublicUserID == "" || login.Context == "" {
		return nil, &UnknownApprovalError{id}
	}
	point, err := base64.RawURLEncoding.Strict().DecodeString(login.BrowserPublicKey)
	if err != nil || protocol.SessionID(s.client.appKey, login.Origin, login.Context, point) != id {
		return nil, s.client.unexpected("the answer is about another login")
	}
	result, err := s.judge(ctx, id, login, expected.FindKey, limits)
	if err != nil || result.Status == ApprovalPending {
		return result, err
	}
	record := protocol.ApprovalRecord(id, login.ExpectedPublicUserID)
	outcome, err := s.client.acceptOnce(ctx, record, func(ctx context.Context) error {
		if expected.OnResult == nil {
			return nil
		}
		return expected.OnResult(ctx, result)
	})
	switch {
	case err != nil:
		return nil, err
	case outcome == Accepted:
		return result, nil
	case outcome == Repeated:
		return &ApprovalResult{ID: id, Status: ApprovalAlreadyReported}, nil
	default:
		return nil, &UnknownApprovalError{id}
	}
}

// judge decides by the state and, if the approval was confirmed, by its proof.
func (s *ApprovalService) judge(
	ctx context.Context, id string, login *approvalLogin, findKey FindKey, limits limits,
) (*ApprovalResult, error) {
	pending := &ApprovalResult{ID: id, Status: ApprovalPending, ExpiresIn: login.ExpiresIn}
	switch login.State {
	case SessionStateCreated, SessionStateScanned:
		return pending, nil
	case SessionStateConfirmed:
		if login.CheckCodeRequired == nil {
			return nil, s.client.lacking("checkCodeRequired")
		}
		// The user has not typed the digits yet.
		if *login.CheckCodeRequired {
			return pending, nil
		}
		return s.verify(ctx, id, login, findKey, limits)
	case SessionStateConsumed:
		return s.verify(ctx, id, login, findKey, limits)
	case SessionStateDenied:
		return &ApprovalResult{ID: id, Status: ApprovalDenied, Reason: ReasonDenied}, nil
	case SessionStateBlocked:
		return &ApprovalResult{ID: id, Status: ApprovalDenied, Reason: ReasonBlocked}, nil
	case SessionStateExpired:
		return &ApprovalResult{ID: id, Status: ApprovalExpired, Reason: ReasonExpired}, nil
	case SessionStateCancelled:
		return &ApprovalResult{ID: id, Status: ApprovalExpired, Reason: ReasonCancelled}, nil
	default:
		return nil, s.client.unexpected("the answer has a state that this version does not know")
	}
}

// verify returns who approved, if the proof shows that it was the expected user.
func (s *ApprovalService) verify(
	ctx context.Context, id string, login *approvalLogin, findKey FindKey, limits limits,
) (*ApprovalResult, error) {
	if findKey == nil {
		findKey = s.registeredKey(login.ExpectedPublicUserID, limits)
	}
	detail := LoginDetail{SessionID: id, Proof: login.Proof}
	found, err := verifyProof(ctx, s.client.appKey, detail, LoginExpectation{
		Origin: login.Origin, Context: login.Context, FindKey: findKey, OpenedByServer: true,
	}, func() time.Time { return s.confirmedAt(ctx, login) })
	if err == nil && found.UserID != login.ExpectedPublicUserID {
		err = refuse("the key belongs to another user")
	}
	var refused *LoginVerificationError
	if errors.As(err, &refused) {
		s.client.log.WarnContext(ctx, "countersign: approval not verified", "id", id, "reason", refused.Reason)
		return &ApprovalResult{ID: id, Status: ApprovalDenied, Reason: ReasonUnverified}, nil
	}
	if err != nil {
		return nil, err
	}
	return &ApprovalResult{
		ID: id, Status: ApprovalApproved,
		UserID: found.UserID, KeyID: found.KeyID, Context: login.Context, Origin: login.Origin,
	}, nil
}

// confirmedAt returns the time at which the proof must have been valid. Results may be read later, so the age of
// the login is not limited; each counts only once.
func (s *ApprovalService) confirmedAt(ctx context.Context, login *approvalLogin) time.Time {
	if login.ConfirmedAt.IsZero() {
		return s.client.time(ctx)
	}
	return login.ConfirmedAt
}

// registeredKey returns a function that looks for a key among the user's keys that are registered with the
// service.
func (s *ApprovalService) registeredKey(userID string, limits limits) FindKey {
	return func(ctx context.Context, keyID string) (*RegisteredKey, error) {
		keys, err := s.client.AssociationKeys.list(ctx, userID, limits)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if key.KeyID != keyID {
				continue
			}
			if key.PublicKey == "" {
				return nil, s.client.lacking("publicKey")
			}
			return &RegisteredKey{
				PublicKey: key.PublicKey, UserID: userID, Kind: key.Kind, RPID: key.RPID, Origin: key.Origin,
			}, nil
		}
		return nil, nil
	}
}
