import { createRouter } from '@tanstack/react-router'
import { root } from './root'
import { dashboardRoute } from './screens/dashboard/route'
import { errorsRoute } from './screens/errors/route'
import { parseSearch, stringifySearch } from './search'

/** One line a screen; each screen is a file of its own to the browser. */
const routeTree = root.addChildren([dashboardRoute, errorsRoute])

export const router = createRouter({ routeTree, parseSearch, stringifySearch, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
