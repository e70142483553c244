import { createRouter } from '@tanstack/react-router'
import { root } from './root'
import { accountRoute } from './screens/account/route'
import { controlRoute } from './screens/control/route'
import { corpusRoute } from './screens/corpus/route'
import { corpusDomainRoute } from './screens/corpusdomain/route'
import { corpusPageRoute } from './screens/corpuspage/route'
import { corpusRunRoute } from './screens/corpusrun/route'
import { failureRoute } from './screens/failure/route'
import { manifestsRoute } from './screens/manifests/route'
import { pageRoute } from './screens/page/route'
import { runRoute } from './screens/run/route'
import { sourceRoute } from './screens/source/route'
import { dashboardRoute } from './screens/dashboard/route'
import { errorsRoute } from './screens/errors/route'
import { parseSearch, stringifySearch } from './search'

/** One line a screen; each screen is a file of its own to the browser. */
const routeTree = root.addChildren([dashboardRoute, errorsRoute, sourceRoute, pageRoute, runRoute, failureRoute, manifestsRoute, corpusRoute, corpusDomainRoute, corpusRunRoute, corpusPageRoute, controlRoute, accountRoute])

export const router = createRouter({ routeTree, parseSearch, stringifySearch, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
