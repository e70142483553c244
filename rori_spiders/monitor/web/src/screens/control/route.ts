import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keeping } from '@/search'

export const controlRoute = createRoute({
  getParentRoute: () => root,
  path: '/control',
  validateSearch: keeping('q'),
  component: lazyRouteComponent(() => import('./screen'), 'Control'),
})
