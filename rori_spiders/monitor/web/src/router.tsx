import { createRouter } from '@tanstack/react-router'
import { root } from './root'
import { accountRoute } from './pages/account/route'
import { changesRoute } from './pages/changes/route'
import { controlRoute } from './pages/control/route'
import { corpusRoute } from './pages/corpus/route'
import { corpusDomainRoute } from './pages/corpus-domain/route'
import { corpusPageRoute } from './pages/corpus-page/route'
import { corpusRunRoute } from './pages/corpus-run/route'
import { failureRoute } from './pages/failure/route'
import { manifestsRoute } from './pages/manifests/route'
import { pageRoute } from './pages/page/route'
import { runRoute } from './pages/run/route'
import { searchRoute } from './pages/search/route'
import { sourceRoute } from './pages/source/route'
import { sourcesRoute } from './pages/sources/route'
import { errorsRoute } from './pages/errors/route'
import { parseSearch, stringifySearch } from './lib/searchParams'

/** One line a screen; each screen is a file of its own to the browser. */
const routeTree = root.addChildren([sourcesRoute, changesRoute, errorsRoute, sourceRoute, pageRoute, runRoute, failureRoute, manifestsRoute, corpusRoute, corpusDomainRoute, corpusRunRoute, corpusPageRoute, controlRoute, searchRoute, accountRoute])

export const router = createRouter({ routeTree, parseSearch, stringifySearch, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
