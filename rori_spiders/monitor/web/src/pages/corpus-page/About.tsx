import type { ReactNode } from 'react'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { SafeLink } from '@/components/data/SafeLink'
import { Time } from '@/components/data/Time'
import type { PageDetail } from '@/pages/corpus/types'

const BY: Record<string, string> = { rule: 'the rule', model: 'the model', override: 'a reviewer:' }
const CLEANED: Record<string, string> = { draft: 'by rules only', model: 'by rules and a model', approved: 'previously approved text', person: 'written by a person', again: 'to be cleaned again' }
const FOUND: Record<string, string> = { map: 'the map', held: 'the collection', person: 'a reviewer', change: 'a text change' }

/** What was decided about a page, by whom and why; where it was found, and how far its text has come. */
export function About({ page }: { page: PageDetail }) {
  const sure = page.confidence === null || page.confidence === 1 ? '' : ` (${Math.round(page.confidence * 100)} % confidence)`
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['URL', <SafeLink key="url" url={page.url} />],
    ['Reason', page.reason],
    ['Decided by', page.decided_by && `${BY[page.decided_by] ?? page.decided_by} ${page.rule ?? ''}${sure}`],
    ['Evidence', evidence(page.evidence)],
    ['Found by', FOUND[page.found_by] ?? page.found_by],
    ['Collection status', page.met && `${page.met}${page.met_reason ? `: ${page.met_reason}` : ''}`],
    ['Text', page.got && <span key="got">{page.got}{page.got_reason ? `: ${page.got_reason}` : ''}{page.got_at && <>, of <Time at={page.got_at} /></>}</span>],
    ['Cleaned', page.cleaned_by && (CLEANED[page.cleaned_by] ?? page.cleaned_by)],
    ['Date', page.dated],
    ['Document', page.doc_id && <code key="doc">{page.doc_id}</code>],
    ['Flags', page.flags.length > 0 && page.flags.map((flag) => flag.replaceAll('_', ' ')).join(', ')],
    ['Review', page.reviewed_by && <span key="reviewed">{page.review} by {page.reviewed_by}, <Time at={page.reviewed_at} />{page.review_reason ? `: ${page.review_reason}` : ''}</span>],
  ]
  return (
    <Card title="Page details">
      <Facts across facts={facts} />
    </Card>
  )
}

/** Evidence is whatever the decider wrote down: words, or a list of them. */
function evidence(given: unknown): string | null {
  if (given === null || given === undefined) return null
  if (Array.isArray(given)) return given.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' · ') || null
  return typeof given === 'string' ? given : JSON.stringify(given)
}
