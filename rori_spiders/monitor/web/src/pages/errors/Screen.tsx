import { useCallback } from 'react'
import { buttonClass } from '@/components/forms/Button'
import { Heading } from '@/components/layout/Heading'
import { FileLink } from '@/components/data/SafeLink'
import { Filters } from './Filters'
import { FailureList } from './FailureList'
import { csvPath, type Chosen } from './queries'
import { errorsRoute } from './route'

export function Errors() {
  const chosen: Chosen = errorsRoute.useSearch()
  const navigate = errorsRoute.useNavigate()
  const change = useCallback(
    (changed: Chosen) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: 'q' in changed, resetScroll: false }),
    [navigate],
  )
  return (
    <>
      <Heading title="Errors">
        <FileLink path={csvPath(chosen)} download className={buttonClass()}>
          As CSV
        </FileLink>
      </Heading>
      <p className="mb-3 max-w-prose text-sm text-quiet">
        Every page that ended failed, and why. Resolved: the same page was fetched, or found gone, later.
      </p>
      <Filters chosen={chosen} change={change} />
      <FailureList chosen={chosen} />
    </>
  )
}
