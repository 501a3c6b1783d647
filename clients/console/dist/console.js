document.title = 'Countersign console';
