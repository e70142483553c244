import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'

export const corpusRoute = createRoute({
  getParentRoute: () => root,
  path: '/corpus',
  component: lazyRouteComponent(() => import('./Screen'), 'Corpora'),
})
