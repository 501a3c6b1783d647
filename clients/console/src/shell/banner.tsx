import { connection } from '../api/client.ts'
import { CopyLine } from '../components/copy.tsx'
import { texts } from '../i18n/index.ts'
import { facts } from './facts.ts'
import { useStore } from './store.ts'

/** Says that the server has stopped or that the session has ended, above every screen. */
export function Banner() {
  const t = texts().shell
  const state = useStore(connection)
  const known = useStore(facts)
  const command = known?.target === 'table' ? `countersign console --table ${known.name}` : 'countersign console'
  // Of a stopped server the page shows the stored data, and refuses only what needs the server.
  const isHalted = known !== null && !known.running
  return (
    <div role="status" class="banners">
      {state === 'stopped' && !isHalted && <p class="banner warn">{t.stopped}</p>}
      {state === 'unreachable' && <p class="banner bad">{t.unreachable.replaceAll('`', '')}</p>}
      {state === 'ended' && known !== null && (
        <div class="banner bad">
          <p><strong>{t.ended}</strong> {t.endedWhat}</p>
          <CopyLine text={command} what={command} />
        </div>
      )}
      {(state === 'well' || state === 'stopped') && isHalted && <p class="banner warn">{t.notRunning}</p>}
    </div>
  )
}
