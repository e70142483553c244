import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Select } from '@/components/forms/filters'
import { QueryView } from '@/components/feedback/QueryView'
import { PlainText } from '@/texts/PlainText'
import type { PageDetail } from '@/pages/corpus/types'
import { NAMES, textQuery, type Which } from './textQuery'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')

/** Two whole texts beside each other: as converted, and as it would be published, unless others are picked. */
export function Texts({ page }: { page: PageDetail }) {
  const { left, right } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (changed: { left?: string; right?: string }) => void navigate({ search: (now) => ({ ...now, ...changed }), replace: true })
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <One page={page} label="Left" given={left} usual="raw" pick={(which) => set({ left: which })} />
      <One page={page} label="Right" given={right} usual={page.texts.includes('document') ? 'document' : 'clean'} pick={(which) => set({ right: which })} />
    </div>
  )
}

function One({ page, label, given, usual, pick }: { page: PageDetail; label: string; given: string | undefined; usual: Which; pick: (which: string | undefined) => void }) {
  const which = page.texts.find((one) => one === given) ?? page.texts.find((one) => one === usual) ?? 'raw'
  const text = useQuery(textQuery(page, which))
  return (
    <div className="min-w-0">
      <div className="mb-2 max-w-64">
        <Select label={label} value={which === usual ? undefined : which} all={NAMES[usual]} options={page.texts.filter((one) => one !== usual).map((one) => [one, NAMES[one]] as const)} pick={pick} />
      </div>
      <QueryView query={text} what="the text">
        {(known) => <PlainText text={known} label={`${label}: ${NAMES[which]}`} />}
      </QueryView>
    </div>
  )
}
