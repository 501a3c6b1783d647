const SVG = 'http://www.w3.org/2000/svg'

/** Draws the QR code that the server encoded: `{size, path}`. */
export function qrImage({ size, path }, label) {
  const image = document.createElementNS(SVG, 'svg')
  image.setAttribute('viewBox', `0 0 ${size} ${size}`)
  image.setAttribute('role', 'img')
  image.setAttribute('aria-label', label)
  image.setAttribute('shape-rendering', 'crispEdges')
  const modules = document.createElementNS(SVG, 'path')
  modules.setAttribute('d', path)
  image.append(modules)
  return image
}
