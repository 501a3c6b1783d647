/** Definitions of the members of an element's class. */
export interface Owner extends HTMLElement {
  /** Warns the developer that a read-only member was assigned. */
  ignored(name: string): void
}

/** Creates a property for each attribute, under the name that frameworks set: `appKey` for `app-key`. */
export function reflectAttributes(prototype: HTMLElement, attributes: readonly string[]): void {
  for (const attribute of attributes) {
    const name = attribute.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    if (name in prototype) continue
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement) {
        return this.getAttribute(attribute)
      },
      set(this: HTMLElement, value: unknown) {
        if (value === null || value === undefined || value === false) this.removeAttribute(attribute)
        else this.setAttribute(attribute, value === true ? '' : String(value))
      },
    })
  }
}

/**
 * Makes read-only members of a class ignore assignments. Frameworks assign any property that an element has, which
 * would throw, or replace a method.
 */
export function keepMembers(prototype: Owner): void {
  for (const [name, { get, set, value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (set || name === 'constructor') continue
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: get ?? (() => value as unknown),
      set(this: Owner) {
        this.ignored(name)
      },
    })
  }
}

/** Applies the properties that a page set before the element was defined. */
export function takeEarly(element: HTMLElement): void {
  for (const name of Object.getOwnPropertyNames(element)) {
    const value: unknown = Reflect.get(element, name)
    for (let proto = Reflect.getPrototypeOf(element); proto && proto !== HTMLElement.prototype; proto = Reflect.getPrototypeOf(proto)) {
      if (!Object.hasOwn(proto, name)) continue
      Reflect.deleteProperty(element, name)
      Reflect.set(element, name, value)
      break
    }
  }
}
