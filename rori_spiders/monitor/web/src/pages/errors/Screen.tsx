import { useCallback } from 'react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { buttonClass } from '@/components/forms/Button'
import { Heading } from '@/components/layout/Heading'
import { TAB_CLASS, Tabs } from '@/components/layout/Tabs'
import { FileLink } from '@/components/data/SafeLink'
import { CauseList } from './CauseList'
import { Filters } from './Filters'
import { FailureList } from './FailureList'
import { csvPath, type Chosen } from './queries'

const route = getRouteApi('/errors')

export function Errors() {
  const chosen: Chosen = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (changed: Chosen) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: 'q' in changed, resetScroll: false }),
    [navigate],
  )
  const isWhole = chosen.view === 'all'
  return (
    <>
      <Heading title="Errors">
        <FileLink path={csvPath(chosen)} download className={buttonClass()}>
          Export CSV
        </FileLink>
      </Heading>
      <p className="mb-3 max-w-prose text-sm text-quiet">
        Pages that failed, with the reason. A failure is resolved when a later run fetches the page or finds it gone.
      </p>
      <Tabs label="View">
        <Link to="/errors" activeOptions={{ exact: true }} search={{ ...chosen, view: undefined, sort: undefined }} aria-current={isWhole ? undefined : 'page'} className={TAB_CLASS}>
          By cause
        </Link>
        <Link to="/errors" activeOptions={{ exact: true }} search={{ ...chosen, view: 'all' }} aria-current={isWhole ? 'page' : undefined} className={TAB_CLASS}>
          Every failure
        </Link>
      </Tabs>
      <Filters chosen={chosen} change={change} />
      {isWhole ? <FailureList chosen={chosen} /> : <CauseList chosen={chosen} />}
    </>
  )
}
