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
          Export CSV
        </FileLink>
      </Heading>
      <p className="mb-3 max-w-prose text-sm text-quiet">
        Pages that failed, with the reason. A failure is resolved when a later run fetches the page or finds it gone.
      </p>
      <Filters chosen={chosen} change={change} />
      <FailureList chosen={chosen} />
    </>
  )
}
