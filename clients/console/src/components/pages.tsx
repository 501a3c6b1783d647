import { texts } from '../i18n/index.ts'
import { changed } from '../formats/query.ts'
import { href, route } from '../shell/route.ts'
import { Link } from './link.tsx'

/** Links to other pages of a list by cursor. The browser's button goes back. */
export function Pages({ next, words }: { next: string | null | undefined, words?: string }) {
  const t = texts().common
  const { path, query } = route.value
  const isFirst = !query.has('after')
  if (isFirst && !next) return null
  return (
    <nav class="pages" aria-label={t.pages}>
      {!isFirst && <Link class="button plain" to={href(path, changed(query, {}))}>{t.first}</Link>}
      {next && <Link class="button plain" to={href(path, changed(query, { after: next }))}>{words ?? t.next}</Link>}
    </nav>
  )
}
