import { useCallback } from 'react'
import { buttonLook } from '@/parts/button'
import { Heading } from '@/parts/heading'
import { FileLink } from '@/parts/link'
import { Filters } from './filters'
import { Listed } from './listed'
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
        <FileLink path={csvPath(chosen)} download className={buttonLook()}>
          As CSV
        </FileLink>
      </Heading>
      <p className="mb-3 max-w-prose text-sm text-quiet">
        Every page that ended failed, and why. Resolved: the same page was fetched, or found gone, later.
      </p>
      <Filters chosen={chosen} change={change} />
      <Listed chosen={chosen} />
    </>
  )
}
