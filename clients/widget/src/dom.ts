/** Creates an element that a page can style by the name of its part. */
export function element<Name extends 'a' | 'bdi' | 'button' | 'div' | 'form' | 'input' | 'label' | 'ol' | 'p' | 'select' | 'span'>(
  name: Name,
  part: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.className = part
  made.setAttribute('part', part)
  return made
}

/** Sets an attribute only if it differs, or removes it if the value is empty. */
export function attribute(target: Element, name: string, value: string): void {
  if (!value) target.removeAttribute(name)
  else if (target.getAttribute(name) !== value) target.setAttribute(name, value)
}

/** Sets a text only if it differs, so that screen readers do not repeat it. */
export function say(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text
}

/**
 * Makes an element as large as the largest of several texts, which stay hidden from the screen and from screen readers.
 */
export function reserve(room: Element, texts: readonly string[]): void {
  room.replaceChildren(...texts.map((text) => {
    const made = document.createElement('span')
    made.dataset['text'] = text
    return made
  }))
}

/** Creates a slot for content from the page. */
export function slot(name: string): HTMLSlotElement {
  const made = document.createElement('slot')
  made.name = name
  return made
}

/** Whether two objects have the same values. */
export function isSame<One extends object>(one: One, other: One): boolean {
  return (Object.keys(one) as (keyof One)[]).every((name) => one[name] === other[name])
}
