// A site of somebody else's: pages of another origin than the service's, with the element in them.

import { once } from 'node:events'
import { createServer } from 'node:http'

/** Starts one. Its pages are those that are put there. */
export async function startSite() {
  const pages = new Map()
  const server = createServer((request, response) => {
    const page = pages.get(request.url)
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', ...page?.headers })
    response.end(page?.html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://localhost:${server.address().port}`
  return {
    /** Its origin. */
    url,
    /** Puts a page there, and answers where it is. */
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

/** A page with the element, which is all that a page needs. */
export function pageWith(server, { attributes = '', html = 'lang="en"', head = '', body } = {}) {
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
    <script type="module" src="${server.url}/widget.js"></script>
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
