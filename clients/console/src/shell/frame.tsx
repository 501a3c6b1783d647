import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { Badge } from '../components/badge.tsx'
import { Choice } from '../components/field.tsx'
import { Link } from '../components/link.tsx'
import { chooseZone, ownZone, zone, zones } from '../formats/zone.ts'
import { chooseLanguage, language, texts, type Language } from '../i18n/index.ts'
import { Banner } from './banner.tsx'
import { facts } from './facts.ts'
import { SCREENS, to, type ScreenName } from './links.ts'
import { hasScreen } from './offer.ts'
import { route } from './route.ts'
import { useStore } from './store.ts'

function Target() {
  const t = texts().shell
  const known = useStore(facts)
  if (known === null) return null
  return (
    <div class="target">
      <p>
        <span class="soft">{known.target === 'table' ? t.table : t.data} </span>
        <span class="target-name" title={known.name}>{known.name}</span>
      </p>
      <p class="soft">{t.as(known.person)} · {known.version}</p>
      <p class="badges">
        {known.readOnly && <span title={t.readOnlyWhy}><Badge tone="warn">{t.readOnly}</Badge></span>}
        {known.local && <Badge tone="calm">{t.local}</Badge>}
      </p>
    </div>
  )
}

function Choices() {
  const t = texts().shell
  const own = ownZone()
  const all = zones().map((name): [string, string] => [name, name === own ? t.ownZone(name) : name])
  return (
    <div class="choices">
      <Choice label={t.zone} value={useStore(zone)} options={all} onChange={chooseZone} />
      <Choice
        label={t.language} value={language.value} options={[['en', 'English'], ['de', 'Deutsch']]}
        onChange={(name) => chooseLanguage(name as Language)}
      />
    </div>
  )
}

/** Returns the screen at `/`: the overview, where the target has one. */
function first(): ScreenName {
  return hasScreen('overview') ? 'overview' : 'confirmations'
}

/** The frame of every screen: navigation, target, choices and banner. */
export function Frame({ children }: { children: ComponentChildren }) {
  const t = texts().shell
  const { path } = useStore(route)
  const [isOpen, setOpen] = useState(false)
  const address = path.join('/')
  useEffect(() => setOpen(false), [address])
  return (
    <div class="frame">
      <a class="skip" href="#content">{t.skip}</a>
      <header class={isOpen ? 'side open' : 'side'}>
        <div class="brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Countersign</span>
          <button type="button" class="button quiet menu" aria-expanded={isOpen} aria-controls="side" onClick={() => setOpen(!isOpen)}>
            {t.menu}
          </button>
        </div>
        <div id="side" class="side-content">
          <nav aria-label={t.navigation}>
            <ul>
              {SCREENS.filter(hasScreen).map((name) => (
                <li key={name}><Link to={to.screen(name)} current={(path[0] ?? first()) === name}>{t.screens[name]}</Link></li>
              ))}
            </ul>
          </nav>
          <Target />
          <Choices />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Banner />
        {children}
      </main>
    </div>
  )
}
