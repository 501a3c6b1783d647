// A customer's site: pages with the element, on an origin other than the service's.

import { once } from 'node:events'
import { createServer } from 'node:http'

/** Starts a site without pages. */
export async function startSite() {
  const pages = new Map()
  const server = createServer((request, response) => {
    const page = pages.get(request.url.split('?')[0])
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', ...page?.headers })
    response.end(page?.html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://localhost:${server.address().port}`
  return {
    /** The site's origin. */
    url,
    /** Adds a page, and returns its URL. */
    put(html, headers = {}) {
      const path = `/${pages.size + 1}`
      pages.set(path, { html, headers })
      return url + path
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Returns the HTML of a page with the element. */
export function pageWith(server, { attributes = '', html = 'lang="en"', head = '', script = 'widget.js', body } = {}) {
  const element = `<countersign-login app-key="${server.demo.appKey}" ${attributes}></countersign-login>`
  return `<!doctype html>
<html ${html}>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>A shop</title>
    <link rel="icon" href="data:,">
    ${head}
    <script type="module" src="${server.url}/${script}"></script>
  </head>
  <body>
    <main>
      <h1>Shop</h1>
      ${body?.(element) ?? element}
    </main>
  </body>
</html>
`
}
