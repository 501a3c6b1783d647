import { to, type ScreenName } from '../shell/links.ts'
import { isPlainClick } from '../shell/route.ts'
import { Link } from '../components/link.tsx'

/** Leads back to the list with its filters, if the operator came from there. */
export function ListLink({ screen, words }: { screen: ScreenName, words: string }) {
  if (!history.state?.within) return <Link to={to.screen(screen)}>{words}</Link>
  const back = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    history.back()
  }
  return <a href={to.screen(screen)} onClick={back}>{words}</a>
}
