package startlimit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/go-chi/httprate"
)

var ctx = context.Background()

// clock is a clock that tests control.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time { return c.at }

func newTestLimiter(t *testing.T, options Options) (*Limiter, *clock) {
	t.Helper()
	clock := newClock()
	limiter, err := newLimiter(options, clock.now)
	if err != nil {
		t.Fatal(err)
	}
	return limiter, clock
}

func take(t *testing.T, limiter *Limiter, start Start) *Refusal {
	t.Helper()
	refusal, err := limiter.Take(ctx, start)
	if err != nil {
		t.Fatal(err)
	}
	return refusal
}

// start is a start from another browser at another address.
func start(i int) Start {
	return Start{Browser: fmt.Sprint("browser ", i), Address: fmt.Sprintf("192.0.2.%d", i)}
}

// taken returns how many starts are accepted before one is refused, and the refusal.
func taken(t *testing.T, limiter *Limiter, next func(i int) Start) (int, *Refusal) {
	t.Helper()
	for i := range 100 {
		if refusal := take(t, limiter, next(i)); refusal != nil {
			return i, refusal
		}
	}
	t.Fatal("nothing is refused")
	return 0, nil
}

func TestDefaults(t *testing.T) {
	for kind, test := range map[Kind]struct {
		next   func(i int) Start
		starts int
		wait   time.Duration
	}{
		Browser: {func(i int) Start { s := start(i); s.Browser = "one"; return s }, 5, 12 * time.Minute},
		Address: {func(i int) Start { s := start(i); s.Address = "192.0.2.1"; return s }, 30, 620 * time.Second},
		Number:  {func(i int) Start { s := start(i); s.PhoneNumber = "+12025550100"; return s }, 5, 72 * time.Minute},
	} {
		limiter, _ := newTestLimiter(t, Options{})
		count, refusal := taken(t, limiter, test.next)
		if count != test.starts || refusal.Limit != kind || refusal.RetryAfter != test.wait {
			t.Errorf("%s: %d, %+v", kind, count, refusal)
		}
	}
}

func TestOneNumberInTwoSpellingsCountsOnce(t *testing.T) {
	limiter, _ := newTestLimiter(t, Options{PerNumber: Limit{2, time.Hour}})
	spellings := []string{"+49 170 1234567", "0170 / 1234567", "٠١٧٠١٢٣٤٥٦٧"}
	count, refusal := taken(t, limiter, func(i int) Start {
		s := start(i)
		s.PhoneNumber = spellings[i]
		return s
	})
	if count != 2 || refusal.Limit != Number {
		t.Errorf("%d, %+v", count, refusal)
	}
}

func TestStartsWithoutANumberShareNoLimit(t *testing.T) {
	limiter, _ := newTestLimiter(t, Options{PerNumber: Limit{1, time.Hour}})
	for i, number := range []string{"", "", "+", "call me"} {
		s := start(i)
		s.PhoneNumber = number
		if refusal := take(t, limiter, s); refusal != nil {
			t.Errorf("%q: %+v", number, refusal)
		}
	}
}

func TestRefusedStartCountsNowhere(t *testing.T) {
	limiter, _ := newTestLimiter(t, Options{
		PerBrowser: Limit{2, time.Hour}, PerAddress: Limit{2, time.Hour}, PerNumber: Limit{1, time.Hour},
	})
	busy := start(1)
	busy.PhoneNumber = "+12025550100"
	if refusal := take(t, limiter, busy); refusal != nil {
		t.Fatal(refusal)
	}
	for range 5 {
		if refusal := take(t, limiter, busy); refusal == nil || refusal.Limit != Number {
			t.Fatalf("%+v", refusal)
		}
	}
	// The browser and the address have one start left.
	if count, refusal := taken(t, limiter, func(int) Start { return start(1) }); count != 1 || refusal.Limit != Browser {
		t.Errorf("%d, %+v", count, refusal)
	}
}

func TestLimitSlides(t *testing.T) {
	limiter, clock := newTestLimiter(t, Options{PerBrowser: Limit{10, 10 * time.Minute}})
	one := func(int) Start { return start(1) }
	if count, _ := taken(t, limiter, one); count != 10 {
		t.Errorf("%d", count)
	}
	// Half of the previous window's starts still count.
	clock.at = clock.at.Add(15 * time.Minute)
	if count, _ := taken(t, limiter, one); count != 5 {
		t.Errorf("%d", count)
	}
	clock.at = clock.at.Add(time.Hour)
	if count, _ := taken(t, limiter, one); count != 10 {
		t.Errorf("%d", count)
	}
}

// Whatever happened before, the next start is accepted exactly when the refusal says, and not a second
// earlier.
func TestRetryAfterIsKept(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		within := time.Duration(1+random.IntN(1000)) * time.Second
		limiter, clock := newTestLimiter(t, Options{
			PerBrowser: Limit{1 + random.IntN(9), within}, PerAddress: Limit{1000, time.Second},
		})
		var refusal *Refusal
		for refusal == nil {
			clock.at = clock.at.Add(time.Duration(random.Int64N(int64(within / 4))))
			refusal = take(t, limiter, start(1))
			if random.IntN(20) == 0 {
				clock.at = clock.at.Add(-time.Duration(random.IntN(2)) * time.Millisecond)
			}
		}
		if refusal.RetryAfter < time.Second || refusal.RetryAfter > 2*within || refusal.RetryAfter%time.Second != 0 {
			t.Fatalf("%+v", refusal)
		}
		clock.at = clock.at.Add(refusal.RetryAfter - time.Second)
		if early := take(t, limiter, start(1)); early == nil && refusal.RetryAfter > time.Second {
			t.Fatalf("taken before %v", refusal.RetryAfter)
		}
		clock.at = clock.at.Add(time.Second)
		if late := take(t, limiter, start(1)); late != nil {
			t.Fatalf("refused after %v: %+v", refusal.RetryAfter, late)
		}
	}
}

// slow is a counter that lets other goroutines run after it has been read.
type slow struct{ httprate.LimitCounter }

func (s slow) Get(key string, current, previous time.Time) (int, int, error) {
	now, before, err := s.LimitCounter.Get(key, current, previous)
	for range 100 {
		runtime.Gosched()
	}
	return now, before, err
}

func TestConcurrentStartsDoNotExceedALimit(t *testing.T) {
	limiter, _ := newTestLimiter(t, Options{Counter: func(Kind) (httprate.LimitCounter, error) {
		return slow{httprate.NewLocalLimitCounter(time.Minute)}, nil
	}})
	var wait sync.WaitGroup
	var mutex sync.Mutex
	count := 0
	for range 50 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			refusal, err := limiter.Take(ctx, start(1))
			mutex.Lock()
			defer mutex.Unlock()
			if err == nil && refusal == nil {
				count++
			}
		}()
	}
	wait.Wait()
	if count != 5 {
		t.Errorf("%d", count)
	}
}

func TestMalformedStartsAreRefused(t *testing.T) {
	limiter, _ := newTestLimiter(t, Options{})
	for _, s := range []Start{
		{Browser: "", Address: "192.0.2.1"}, {Browser: "b", Address: ""}, {Browser: "b", Address: "192.0.2.1:443"}, {},
	} {
		if refusal, err := limiter.Take(ctx, s); err == nil || strings.Contains(err.Error(), "192") {
			t.Errorf("%+v: %v, %v", s, refusal, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := limiter.Take(ended, start(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for name, options := range map[string]Options{
		"no starts":        {PerBrowser: Limit{0, time.Minute}},
		"negative starts":  {PerAddress: Limit{-1, time.Minute}},
		"no time":          {PerNumber: Limit{1, 0}},
		"negative time":    {PerNumber: Limit{1, -time.Minute}},
		"seconds as times": {PerNumber: Limit{1, 600}},
		"no counter":       {Counter: func(Kind) (httprate.LimitCounter, error) { return nil, nil }},
		"failing counter":  {Counter: func(Kind) (httprate.LimitCounter, error) { return nil, errors.New("no database") }},
	} {
		if _, err := New(options); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := New(Options{}); err != nil {
		t.Error(err)
	}
}

// shared is a counter that several processes use, and which may fail.
type shared struct {
	httprate.LimitCounter
	keys map[string]bool
	err  error
}

func (s *shared) Get(key string, current, previous time.Time) (int, int, error) {
	s.keys[key] = true
	now, before, _ := s.LimitCounter.Get(key, current, previous)
	return now, before, s.err
}

func TestProcessesShareACounter(t *testing.T) {
	counters := make(map[Kind]*shared)
	options := Options{Counter: func(kind Kind) (httprate.LimitCounter, error) {
		if counters[kind] == nil {
			counters[kind] = &shared{LimitCounter: httprate.NewLocalLimitCounter(time.Minute), keys: make(map[string]bool)}
		}
		return counters[kind], nil
	}}
	first, _ := newTestLimiter(t, options)
	second, _ := newTestLimiter(t, options)
	limiters := []*Limiter{first, second}
	count := 0
	for take(t, limiters[count%2], start(1)) == nil {
		count++
	}
	if count != 5 {
		t.Errorf("%d", count)
	}
	for kind, counter := range counters {
		for key := range counter.keys {
			if !strings.HasPrefix(key, string(kind)+":") || strings.Contains(key, "192") || len(key) > 51 {
				t.Errorf("%s", key)
			}
		}
	}
	counters[Address].err = errors.New("no database")
	if refusal, err := first.Take(ctx, start(2)); err == nil || refusal != nil {
		t.Errorf("%v, %v", refusal, err)
	}
}

func TestRefusalIsAnAnswer(t *testing.T) {
	recorder := httptest.NewRecorder()
	(&Refusal{Browser, 90 * time.Second}).Write(recorder)
	if recorder.Code != 429 || recorder.Header().Get("Retry-After") != "90" || strings.Contains(recorder.Body.String(), "browser") {
		t.Errorf("%d %v %s", recorder.Code, recorder.Header(), recorder.Body)
	}
}

func TestVectorsOfLimits(t *testing.T) {
	text, err := os.ReadFile("../../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Limits struct {
			Addresses []struct{ Address, Value string }
			Numbers   []struct{ Number, Value string }
			Keys      []struct {
				Kind       Kind
				Value, Key string
			}
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all.Limits.Addresses {
		if found, ok := addressValue(v.Address); found != v.Value || ok != (v.Value != "") {
			t.Errorf("%q: %q, %v", v.Address, found, ok)
		}
	}
	for _, v := range all.Limits.Numbers {
		if found := numberValue(v.Number); found != v.Value {
			t.Errorf("%q: %q", v.Number, found)
		}
	}
	for _, v := range all.Limits.Keys {
		if found := key(v.Kind, v.Value); found != v.Key {
			t.Errorf("%s %q: %s", v.Kind, v.Value, found)
		}
	}
	if len(all.Limits.Addresses)*len(all.Limits.Numbers)*len(all.Limits.Keys) == 0 {
		t.Error("vectors are missing")
	}
}

func TestDigitsOfEveryScriptAreInRows(t *testing.T) {
	scripts := 0
	for _, row := range unicode.Nd.R16 {
		if row.Stride != 1 || (row.Hi-row.Lo+1)%10 != 0 {
			t.Errorf("%x", row)
		}
		scripts++
	}
	for _, row := range unicode.Nd.R32 {
		if row.Stride != 1 || (row.Hi-row.Lo+1)%10 != 0 {
			t.Errorf("%x", row)
		}
		scripts++
	}
	if scripts < 50 {
		t.Errorf("%d scripts", scripts)
	}
}
