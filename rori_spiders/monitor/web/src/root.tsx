import { createRootRoute } from '@tanstack/react-router'
import { queryClient } from './api/queryClient'
import { sessionQuery } from './api/session'
import { Shell } from './components/layout/Shell'
import { NotFound, ErrorMessage } from './components/feedback/states'

/** Every screen's parent: the session is there before a screen is. */
export const root = createRootRoute({
  beforeLoad: () => queryClient.ensureQueryData(sessionQuery),
  component: Shell,
  errorComponent: ({ error, reset }) => <ErrorMessage error={error} again={reset} />,
  notFoundComponent: NotFound,
})
