/** Shows how long a confirmation stays open. */
export class Countdown {
  #label
  #time
  #bar
  #timer
  #expiresAt = 0

  constructor(label, time, bar) {
    this.#label = label
    this.#time = time
    this.#bar = bar
  }

  /** Counts down to an instant. */
  start(expiresAt, startedAt = Date.now()) {
    this.#expiresAt = Date.parse(expiresAt)
    this.#bar.max = Math.max(1, this.#expiresAt - startedAt)
    this.#bar.hidden = false
    this.#label.textContent = 'Time left'
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#show(), 200)
    this.#show()
  }

  /** Stops, and shows how and when it ended instead. */
  stop(label, time) {
    clearInterval(this.#timer)
    this.#label.textContent = label
    this.#time.textContent = time
    this.#bar.hidden = true
  }

  #show() {
    const left = Math.max(0, this.#expiresAt - Date.now())
    const seconds = Math.ceil(left / 1000)
    const rest = String(seconds % 60).padStart(2, '0')
    this.#time.textContent = `${Math.floor(seconds / 60)}:${rest}`
    this.#bar.value = left
  }
}
