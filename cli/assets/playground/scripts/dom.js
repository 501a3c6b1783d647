/** Creates an element with properties (or attributes) and children. Strings become text, never
/** markup. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value
    else made.setAttribute(name, value)
  }
  made.append(...children.filter((child) => child !== null && child !== undefined))
  return made
}

/** Returns the elements below `root` that are marked `data-part`, by that name. */
export function parts(root) {
  const named = {}
  for (const part of root.querySelectorAll('[data-part]')) {
    const name = part.dataset.part.replace(/-./g, (dash) => dash[1].toUpperCase())
    named[name] = part
  }
  return named
}

/** Shows a text in a notice, or hides the notice if there is none. */
export function say(notice, text) {
  notice.textContent = text ?? ''
  notice.hidden = !text
}

/** Formats a time of day with milliseconds in the local time zone. */
export function timeOfDay(instant) {
  const time = new Date(instant)
  const text = time.toLocaleTimeString('en-GB', { hour12: false })
  return `${text}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** Makes a button copy a text and confirm it. */
export function copies(button, text) {
  const label = button.textContent
  let back
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text())
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Select it and copy by hand'
    }
    clearTimeout(back)
    back = setTimeout(() => { button.textContent = label }, 1500)
  })
}
