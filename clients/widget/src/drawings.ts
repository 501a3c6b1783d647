import { drawCode } from './qr.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** Icon outlines, 24 by 24. */
const CIRCLE = 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18z'
const ICONS = {
  turning: 'M12 3a9 9 0 1 1-9 9',
  phone: 'M8 2.5h8q1.5 0 1.5 1.5v16q0 1.5-1.5 1.5h-8q-1.5 0-1.5-1.5v-16q0-1.5 1.5-1.5zM11 18.5h2',
  done: `${CIRCLE}M8 12.5l2.7 2.7l5.3-6`,
  no: `${CIRCLE}M9 9l6 6M15 9l-6 6`,
  clock: `${CIRCLE}M12 7v5l3.2 2`,
  pages: 'M9 9h11v11H9zM6 15H4V4h11v2',
  pen: 'M4 20l1-4L16 5l3 3L8 19z',
} as const

export type Icon = keyof typeof ICONS

/** Draws a QR code, always dark on light, whatever the page's colors: many readers cannot read inverted codes. */
export function picture(text: string, label: string): SVGElement {
  const { path, size } = drawCode(text)
  const svg = drawing(size, {
    'class': 'code',
    'part': 'code',
    'role': 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  })
  svg.append(outline(`M0 0h${size}v${size}h-${size}z`, '#fff'), outline(path, '#000'))
  return svg
}

/** Draws an icon as a named part. */
export function symbol(icon: Icon, part = 'icon'): SVGElement {
  const calm = icon === 'turning' || icon === 'no' || icon === 'clock'
  const svg = drawing(24, {
    'class': `${part} ${icon}${calm ? ' calm' : ''}`,
    part,
    'aria-hidden': 'true',
  })
  svg.append(outline(ICONS[icon]))
  return svg
}

function drawing(size: number, attributes: Readonly<Record<string, string>>): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
  return svg
}

function outline(d: string, fill?: string): SVGElement {
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', d)
  if (fill) {
    path.setAttribute('fill', fill)
    // Extensions that darken pages override every style sheet and attribute, but not this. Content security
    // policies allow it.
    path.style.setProperty('fill', fill, 'important')
    path.style.setProperty('stroke', 'none', 'important')
  }
  return path
}
