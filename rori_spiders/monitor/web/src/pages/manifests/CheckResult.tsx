import { SafeLink } from '@/components/data/SafeLink'
import { Activation } from './Activation'
import { Changes, changesInWords } from './Changes'
import { Endings } from './Endings'
import type { Checked, Draft } from './types'

const SHOWN = 100

/** A manifest without a problem: what it would change and fetch, and the button that makes it so. */
export function CheckResult({ draft, checked }: { draft: Draft; checked: Checked }) {
  const { difference, would_fetch: fetched } = checked
  return (
    <section aria-label="Check result" className="mt-4 grid gap-4">
      <p role="status" className="rounded-md border border-good bg-good-ground px-3 py-2 text-sm text-good">
        No problems found. This version {changesInWords(checked)}.
      </p>
      <Endings ending={checked.ending} />
      {checked.warnings.map((warning) => (
        <p key={warning} className="text-sm text-warn [overflow-wrap:anywhere]">
          {warning}
        </p>
      ))}
      <div>
        <h3 className="mb-2 font-semibold">Changes</h3>
        <Changes changes={difference} />
      </div>
      <details>
        <summary className="font-semibold">Sources to fetch ({checked.would_fetch_in_all.toLocaleString()})</summary>
        <ul className="mt-2 grid gap-1 text-sm">
          {fetched.slice(0, SHOWN).map((one) => (
            <li key={one.source_id} className="[overflow-wrap:anywhere]">
              <b className="font-semibold">{one.source_id}</b>: <SafeLink url={one.url} />, {one.pages === null ? 'pages as discovered' : `${one.pages.toLocaleString()} ${one.pages === 1 ? 'page' : 'pages'}`}, one request every {one.delay_s} s
              {one.credits ? `, ${one.credits.toLocaleString()} credits` : ''}
            </li>
          ))}
        </ul>
        {checked.would_fetch_in_all > SHOWN && <p className="mt-1 text-sm">and {(checked.would_fetch_in_all - SHOWN).toLocaleString()} more</p>}
      </details>
      <Activation draft={draft} checked={checked} />
    </section>
  )
}
