import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '@/root'
import { keepParams } from '@/lib/searchParams'

export const controlRoute = createRoute({
  getParentRoute: () => root,
  path: '/control',
  validateSearch: keepParams('q'),
  component: lazyRouteComponent(() => import('./Screen'), 'Control'),
})
