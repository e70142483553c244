import { createRootRoute } from '@tanstack/react-router'
import { queries } from './api/queries'
import { sessionQuery } from './api/session'
import { Shell } from './parts/shell'
import { NotFound, Trouble } from './parts/states'

/** Every screen's parent: the session is there before a screen is. */
export const root = createRootRoute({
  beforeLoad: () => queries.ensureQueryData(sessionQuery),
  component: Shell,
  errorComponent: ({ error, reset }) => <Trouble error={error} again={reset} />,
  notFoundComponent: NotFound,
})
