// Tooltips: a point shows its values when the pointer is near it, when it has the focus, and when
// it is tapped. The values are its <title>; without this script browsers show that.
(() => {
  'use strict';
  const REACH = 24; // CSS pixels from a point at which it still answers
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.setAttribute('role', 'tooltip');
  tip.hidden = true;
  document.body.append(tip);
  let shown = null;

  const hide = () => {
    if (shown) {
      shown.classList.remove('on');
      shown.removeAttribute('aria-describedby');
    }
    shown = null;
    tip.hidden = true;
  };

  const show = (point, text) => {
    if (shown === point) return;
    hide();
    shown = point;
    point.classList.add('on');
    tip.replaceChildren(...text.split('\n').map((line) => {
      const div = document.createElement('div');
      div.textContent = line;
      return div;
    }));
    tip.hidden = false;
    const at = (point.querySelector('.m, .bar') || point).getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.min(Math.max(8, at.left + at.width / 2 - tip.offsetWidth / 2), width - tip.offsetWidth - 8);
    const above = at.top - tip.offsetHeight - 10;
    const top = above > 4 ? above : at.bottom + 10;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  };

  // How far the pointer is from a point's marker or bar; its middle decides between equals.
  const distance = (point, x, y) => {
    const box = (point.querySelector('.m, .bar') || point).getBoundingClientRect();
    const dx = Math.max(box.left - x, 0, x - box.right);
    const dy = Math.max(box.top - y, 0, y - box.bottom);
    const middle = Math.hypot(x - (box.left + box.right) / 2, y - (box.top + box.bottom) / 2);
    return [Math.hypot(dx, dy), middle];
  };

  for (const plot of document.querySelectorAll('svg.plot')) {
    const points = [...plot.querySelectorAll('.pt')];
    if (!points.length) continue;
    const texts = new Map();
    // A picture has no parts that can be focused; with the script it is a group of points, with
    // one stop of the tab key and arrow keys between its points.
    plot.setAttribute('role', 'group');
    points.forEach((point, i) => {
      const title = point.querySelector('title');
      texts.set(point, title ? title.textContent : '');
      if (title) title.remove();
      point.setAttribute('role', 'img');
      point.setAttribute('aria-label', texts.get(point).replaceAll('\n', ', '));
      point.setAttribute('tabindex', i ? '-1' : '0');
    });
    const nearest = (event) => {
      let best = null;
      let least = [REACH, Infinity];
      for (const point of points) {
        const [near, middle] = distance(point, event.clientX, event.clientY);
        if (near < least[0] - 0.01 || (near <= least[0] + 0.01 && middle < least[1])) {
          best = point;
          least = [near, middle];
        }
      }
      return best;
    };
    const answer = (event) => {
      const point = nearest(event);
      if (point) show(point, texts.get(point));
      else hide();
    };
    plot.addEventListener('pointermove', (event) => {
      if (event.pointerType !== 'touch') answer(event);
    });
    plot.addEventListener('pointerleave', (event) => {
      if (event.pointerType !== 'touch' && shown !== document.activeElement) hide();
    });
    plot.addEventListener('click', answer);
    plot.addEventListener('focusin', (event) => {
      const point = event.target.closest('.pt');
      if (point) show(point, texts.get(point));
    });
    plot.addEventListener('focusout', hide);
    plot.addEventListener('keydown', (event) => {
      const at = points.indexOf(document.activeElement);
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: points.length - 1 }[event.key];
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      const next = points[Math.min(Math.max(to, 0), points.length - 1)];
      points[at].setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    });
  }
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
  document.addEventListener('pointerdown', (event) => {
    if (!event.target.closest('svg.plot')) hide();
  });
  addEventListener('resize', hide);
  addEventListener('beforeprint', () => {
    hide();
    for (const details of document.querySelectorAll('details.printed')) details.open = true;
  });
})();
