import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const runRoute = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  validateSearch: keeping('state', 'q'),
  component: lazyRouteComponent(() => import('./screen'), 'Run'),
})
