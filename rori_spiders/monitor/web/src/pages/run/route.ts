import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const runRoute = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  validateSearch: keepParams('state', 'q'),
  component: lazyRouteComponent(() => import('./Screen'), 'Run'),
})
